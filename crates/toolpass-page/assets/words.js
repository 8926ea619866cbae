// What rows mean, in words. No element is touched here.

/** How a call ended, and how the page says it: class, word. Calls that are counted have a class of their own. */
const OUTCOMES = new Map([
  ["ran", ["ran", "Went through"]],
  ["refused", ["refused", "Refused"]],
  ["handoff_refused", ["refused", "Handoff refused"]],
  ["raised", ["failed", "Failed"]],
  ["cancelled", ["failed", "Cancelled"]],
  ["started", ["running", "Running"]],
  ["handoff", ["handoff", "Handed off"]],
  ["return", ["handoff", "Returned"]],
]);

/** How a question was answered. */
const DECIDED = new Map([
  ["allow", ["ran", "Allowed"]],
  ["deny", ["refused", "Denied"]],
  ["unknown", ["failed", "Not decided"]],
]);

/** How a row was decided, when it is a decision; only a server makes one. */
export const explained = (row) => (row.explained && typeof row.explained === "object" ? row.explained : null);

/** Outcomes of requests outside any call that runs, by whether they were refused. */
const OUTSIDE = new Map([
  ["late", { refused: "Refused late", passed: "Came late" }],
  ["unattributed", { refused: "Refused, no call", passed: "In no call" }],
]);

/** The outcome of a row: `kind` (a class of the page) and `word`. */
export function outcome(row) {
  const decided = DECIDED.get(explained(row)?.decision);
  if (decided) return { kind: decided[0], word: decided[1] };
  const outside = OUTSIDE.get(row.outcome);
  if (outside) {
    return row.code ? { kind: "refused", word: outside.refused } : { kind: "handoff", word: outside.passed };
  }
  const [kind, word] = OUTCOMES.get(row.outcome) ?? ["handoff", text(row.outcome, 40)];
  return { kind, word };
}

/** Whether a row stands for a call of a tool. */
export const isCall = (row) => !["handoff", "handoff_refused", "return", "late", "unattributed"].includes(row.outcome);

// Characters that are not seen, or that reorder what stands around them.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu;

/** Anything as a text that can be shown: bounded, with what cannot be seen written out. */
export function text(value, most = 2000) {
  let shown = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  if (shown.length > most) shown = `${shown.slice(0, most)}… (${shown.length} characters)`;
  return shown.replace(UNSEEN, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);
}

/** The requests of a row. */
export const requests = (row) => (Array.isArray(row.actions) ? row.actions.filter((one) => one && typeof one === "object") : []);

/** Whether a request is none, but a program that was started. */
const isProgram = (request) => request.method === "EXEC";

/** The system of a request: the connection it belongs to, else its host. */
export const system = (request) => (isProgram(request) ? "programs" : text(request.connection ?? request.host ?? "?", 80));

/** What became of a request: `kind` (an icon of the page) and `word`. */
export function verdict(request) {
  if (request.outcome === "refused") return { kind: "refused", word: "Refused" };
  if (isProgram(request) || request.note === "unknown_host" || request.note === "unmapped") return { kind: "passed", word: "Not checked" };
  return { kind: "ran", word: "Allowed" };
}

/** A request as a sentence: the catalogue's phrase with its resource, else what was sent. */
export function sentence(request, phrases) {
  if (isProgram(request)) return `Start ${text(request.path, 100)}`;
  const phrase = phrases.get(request.action);
  if (phrase) return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)} ${resource(request)}`;
  if (request.action) return `${text(request.action, 100)} on ${resource(request)}`;
  const verb = { GET: "Read", HEAD: "Read", DELETE: "Delete" }[request.method] ?? "Send something to";
  return `${verb} ${text(request.host, 200)}`;
}

/** A resource without its type: what a person calls it. */
function resource(request) {
  const whole = text(request.resource ?? request.host ?? "", 200);
  const at = whole.indexOf(":");
  return at > 0 && at + 1 < whole.length ? whole.slice(at + 1) : whole;
}

/** Marks of a request, in words. */
export function tags(request) {
  const said = [];
  if (request.as_agent) said.push("as the agent");
  if (request.sends_out) said.push("sends out");
  if (request.untrusted_output) said.push("outside text");
  if (request.sensitive) said.push("hands out a secret");
  if (request.note === "unknown_host") said.push("unknown host");
  if (request.note === "unmapped") said.push("no route knows it");
  if (isProgram(request)) said.push("nobody sees what it does");
  if (request.note === "late") said.push("after the call had ended");
  return said;
}

/** Where a call was stopped, or where it went. */
export function whereabouts(row, phrases) {
  const all = requests(row);
  if (explained(row) && all.length > 0) {
    const why = outcome(row).kind === "ran" ? "" : `: ${text(row.code, 60).replaceAll("_", " ")}`;
    return `${sentence(all[0], phrases)}${why}`;
  }
  const refused = all.find((request) => request.outcome === "refused");
  if (outcome(row).kind === "refused") {
    if (refused) return `Stopped at ${system(refused)}: ${lower(sentence(refused, phrases))}`;
    if (row.outcome !== "refused") return text(row.reason, 120);
    const why = row.code ? `: ${text(row.code, 60).replaceAll("_", " ")}` : "";
    return `Stopped before the tool ran${why}`;
  }
  if (row.outcome === "raised") return `The tool raised ${text(row.reason ?? "an exception", 120)}`;
  if (row.outcome === "cancelled") return "Given up";
  if (all.length === 0) return row.outcome === "started" ? "No request so far" : "No request";
  const most = all.find((request) => request.effect === "destructive") ?? all.find((request) => request.effect === "write") ?? all[0];
  const more = all.length > 1 ? `, and ${count(all.length - 1, "more request")}` : "";
  return `${sentence(most, phrases)}${more}`;
}

const lower = (said) => said.charAt(0).toLowerCase() + said.slice(1);

/** `3 requests`. */
export const count = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;

/** A duration of a row. */
export function took(row) {
  const ms = Number(row.duration_ms);
  if (!Number.isFinite(ms) || row.outcome === "started") return "";
  if (ms < 1) return "<1 ms";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

/** The time of a row as the clock of this machine shows it; empty for what is no time. */
export function clock(row) {
  const time = new Date(row.time ?? (Number(row.at) || NaN) * 1000);
  if (Number.isNaN(time.getTime())) return { short: "", whole: text(row.time, 40) };
  const two = (number) => String(number).padStart(2, "0");
  const [hours, day] = [`${two(time.getHours())}:${two(time.getMinutes())}`, `${two(time.getMonth() + 1)}-${two(time.getDate())}`];
  const isToday = time.toDateString() === new Date().toDateString();
  return { short: isToday ? `${hours}:${two(time.getSeconds())}` : `${day} ${hours}`, whole: time.toISOString() };
}

/** Everything of a row that free text is looked for in, in small letters. */
export function haystack(row, phrases) {
  const parts = [row.tool, row.server, row.user, row.reason, row.code, text(row.arguments ?? "", 20_000), text(row.explained ?? "", 20_000)];
  for (const one of requests(row)) parts.push(one.action, one.resource, system(one), one.host, one.path, sentence(one, phrases));
  return parts.map((part) => text(part ?? "", 20_000)).join("\n").toLowerCase();
}
