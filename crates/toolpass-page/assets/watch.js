// The page: keeps the calls, counts them, narrows them, and has them shown. Rows come from `feed`, words from `words`.

import { Archive } from "./archive.js";
import { follow } from "./feed.js";
import { Graph, WORDS } from "./map.js";
import { element, Rows } from "./rows.js";
import { count, haystack, isCall, outcome, requests, system, text, verdict } from "./words.js";

const KEEP = 5000;
const PAGE = 60;

/** Calls by key, oldest first. A call is replaced, never changed, so that what shows it knows when it differs. */
const calls = new Map();
const phrases = new Map();
const wanted = { outcome: "", person: "", tool: "", system: "", server: "", text: "", id: "", from: "", to: "" };
let shown = PAGE;
let isDue = false;
let keep = KEEP;
let archive = null;
let nouns = { row: "call", system: "request" };
/** From which number on every run is held. */
let floor = Infinity;

const $ = (id) => document.getElementById(id);
const rows = new Rows($("list"));
const graph = new Graph($("map"), (column, name) => choose(column, name));

/** Narrow the list to one value, or stop doing so. */
function choose(what, value) {
  wanted[what] = wanted[what] === value ? "" : value;
  shown = PAGE;
  archive?.changed();
  due();
}

/** Take rows in. When an answer is whole, running calls that it does not list are gone. */
function take(answer, isWhole, isAnew) {
  if (isAnew) {
    calls.clear();
    floor = Infinity;
  }
  for (const [action, phrase] of Object.entries(answer.phrases ?? {})) phrases.set(action, text(phrase, 200));
  const isDashboard = answer.kind === "dashboard" || answer.kind === "decisions";
  if (isDashboard) openArchive(answer.kind);
  const listed = new Set();
  const news = { calls: 0, refused: 0 };
  for (const row of Array.isArray(answer.events) ? answer.events : []) {
    if (row === null || typeof row !== "object") continue;
    // Only the name of the key is proved, so who reports under another one cannot take a call's place.
    const key = typeof row.id === "string" ? `${text(row.reported_by)}#${row.id}` : `#${text(row.server)}.${row.seq}`;
    listed.add(key);
    const before = calls.get(key);
    if (before && before.row.outcome !== "started" && row.outcome === "started") continue;
    calls.set(key, { key, row, hay: null });
    if (row.outcome !== "started") {
      news.calls += 1;
      if (outcome(row).kind === "refused") news.refused += 1;
    }
  }
  for (const [key, { row }] of calls) {
    if (isWhole && !isDashboard && row.outcome === "started" && !listed.has(key)) calls.delete(key);
    else if (calls.size > keep) calls.delete(key);
  }
  say(news);
  due();
}

/** Tell a screen reader, not more often than it can be listened to. */
const say = (() => {
  const waiting = { calls: 0, refused: 0 };
  let timer = 0;
  return (news) => {
    waiting.calls += news.calls;
    waiting.refused += news.refused;
    if (waiting.calls === 0 || timer) return;
    timer = setTimeout(() => {
      $("said").textContent = `${count(waiting.calls, `new ${nouns.row}`)}, ${waiting.refused} refused`;
      waiting.calls = waiting.refused = timer = 0;
    }, 3000);
  };
})();

/** Draw soon, once for everything that changed meanwhile; many calls take longer to go through. */
function due() {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    draw();
  }, calls.size > 1000 ? 250 : 60);
}

function draw() {
  const all = [...calls.values()];
  numbers(all);
  graph.draw(all, wanted);
  chips(all);
  const found = all.filter(fits).reverse();
  if (archive) found.sort((one, other) => other.row.seq - one.row.seq);
  rows.show(found.slice(0, shown), phrases);
  if (wanted.id) rows.open(found[0]);
  $("shown").textContent = found.length === all.length ? String(all.length) : `${found.length} of ${all.length}`;
  const isThereMore = found.length > shown;
  $("more").hidden = !isThereMore && !archive?.hasOlder();
  $("more").textContent = isThereMore ? `Show ${Math.min(PAGE, found.length - shown)} more` : "Look for older ones";
  $("empty").hidden = found.length > 0;
  $("empty-title").textContent = all.length === 0 ? `No ${nouns.row}s yet` : `No ${nouns.row} fits these filters`;
  $("empty-text").textContent = all.length === 0 ? (nouns.row === "call" ? "Run a tool, and it shows up here while it runs." : "Ask this server something, and its answer shows up here.") : "Remove one to see more.";
}

function fits(call) {
  const { row } = call;
  if (wanted.outcome && outcome(row).kind !== wanted.outcome) return false;
  if (wanted.person && row.user !== wanted.person) return false;
  if (wanted.tool && text(row.tool, 80) !== wanted.tool) return false;
  if (wanted.server && text(row.server, 80) !== wanted.server) return false;
  if (wanted.id && row.id !== wanted.id) return false;
  if (wanted.from && !(row.at >= seconds(wanted.from))) return false;
  if (wanted.to && !(row.at < seconds(wanted.to))) return false;
  if (wanted.system && !requests(row).some((request) => system(request) === wanted.system)) return false;
  if (!wanted.text) return true;
  call.hay ??= haystack(row, phrases);
  return call.hay.includes(wanted.text);
}

function numbers(all) {
  const total = { calls: 0, ran: 0, refused: 0, running: 0, checked: 0, before: 0 };
  const [people, reached, at] = [new Set(), new Set(), new Set()];
  for (const { row } of all) {
    const { kind } = outcome(row);
    if (isCall(row)) total.calls += 1;
    if (kind === "ran") total.ran += 1;
    if (kind === "running") total.running += 1;
    if (row.user && isCall(row)) people.add(row.user);
    let stoppedAt = false;
    for (const request of requests(row)) {
      const said = verdict(request).kind;
      if (said !== "passed") total.checked += 1;
      if (said === "refused") {
        at.add(system(request));
        stoppedAt = true;
      } else reached.add(system(request));
    }
    if (kind === "refused") {
      total.refused += 1;
      if (!stoppedAt) total.before += 1;
    }
  }
  const put = (id, value, note) => {
    $(id).textContent = value.toLocaleString("en");
    $(`${id}-note`).textContent = note;
  };
  const running = total.running ? `, ${total.running} running` : "";
  put("n-calls", total.calls, (people.size ? `by ${people.size === 1 ? "1 person" : `${people.size} people`}` : "nobody yet") + running);
  put("n-ran", total.ran, total.checked ? `${count(total.checked, nouns.system)} checked` : `no ${nouns.system}s checked`);
  const where = [at.size ? `${total.refused - total.before} at ${listed(at)}` : "", total.before ? `${total.before} before the tool ran` : ""];
  put("n-refused", total.refused, where.filter(Boolean).join(", ") || "nothing was stopped");
  put("n-systems", reached.size, reached.size ? listed(reached) : "no request left");
  for (const button of document.querySelectorAll(".number[data-outcome]")) {
    button.setAttribute("aria-pressed", String(button.dataset.outcome === wanted.outcome));
  }
}

function listed(names) {
  const all = [...names];
  return all.slice(0, 3).join(", ") + (all.length > 3 ? ` and ${all.length - 3} more` : "");
}

const OUTCOMES = [["ran", "Went through"], ["refused", "Refused"], ["failed", "Failed"], ["running", "Running"], ["handoff", "Handoffs"]];
let drawnChips = "";

/** Chips: outcomes there are, people there are, and what the map was narrowed to. */
function chips(all) {
  const there = new Map();
  for (const { row } of all) {
    const { kind } = outcome(row);
    there.set(`outcome:${kind}`, (there.get(`outcome:${kind}`) ?? 0) + 1);
    if (row.user) there.set(`person:${row.user}`, (there.get(`person:${row.user}`) ?? 0) + 1);
  }
  const people = [...there.keys()].filter((key) => key.startsWith("person:")).map((key) => key.slice(7)).sort().slice(0, 20);
  const list = OUTCOMES.filter(([kind]) => there.has(`outcome:${kind}`) || wanted.outcome === kind)
    .map(([kind, word]) => ["outcome", kind, word, there.get(`outcome:${kind}`) ?? 0]);
  for (const person of people) list.push(["person", person, text(person, 60), there.get(`person:${person}`)]);
  for (const what of ["tool", "system", "server", "id"]) if (wanted[what]) list.push([what, wanted[what], `${what}: ${wanted[what]}`, null]);
  const state = JSON.stringify([list, wanted]);
  if (state === drawnChips) return;
  drawnChips = state;
  const focused = document.activeElement?.dataset?.chip;
  const nodes = list.map(([what, value, word, number]) => {
    const chip = element("button", "", `chip ${what === "outcome" ? value : what}`);
    chip.type = "button";
    chip.dataset.chip = `${what}:${value}`;
    chip.append(element("bdi", word));
    if (number !== null) chip.append(element("span", String(number), "chip-count"));
    chip.setAttribute("aria-pressed", String(wanted[what] === value));
    chip.addEventListener("click", () => choose(what, value));
    return chip;
  });
  if (Object.values(wanted).some(Boolean)) {
    const clear = element("button", "Clear filters", "chip clear");
    clear.type = "button";
    clear.dataset.chip = "clear";
    clear.addEventListener("click", clearAll);
    nodes.push(clear);
  }
  $("chips").replaceChildren(...nodes);
  if (focused) [...nodes].find((node) => node.dataset.chip === focused)?.focus();
}

function clearAll() {
  for (const name of Object.keys(wanted)) wanted[name] = "";
  for (const id of ["search", "from", "to"]) $(id).value = "";
  shown = PAGE;
  archive?.changed();
  due();
}

/** What a page of several servers has beyond the live page: time, files, older runs, addresses that lead to a selection. */
function openArchive(kind) {
  if (archive) return;
  $("subtitle").textContent = "dashboard";
  const isOfDecisions = kind === "decisions";
  $("views").hidden = false;
  $("view-calls").href = isOfDecisions ? "../" : "./";
  $("view-decisions").href = isOfDecisions ? "./" : "decisions/";
  $(isOfDecisions ? "view-decisions" : "view-calls").setAttribute("aria-current", "page");
  if (isOfDecisions) speakOfDecisions();
  archive = new Archive(wanted, {
    oldest: () => (Number.isFinite(floor) ? floor : null),
    rows: (answer, isAll) => {
      // What was looked for stays, beside what is new.
      keep += answer.events.length;
      if (isAll) for (const row of answer.events) floor = Math.min(floor, row.seq);
      take(answer, false, false);
    },
    drawn: due,
    narrowed: () => {
      $("search").value = wanted.text;
      shown = PAGE;
      due();
    },
  });
}

/** What the page calls its rows, when they are decisions. */
function speakOfDecisions() {
  document.title = "toolpass: decisions";
  nouns = { row: "decision", system: "question" };
  for (const [id, said] of [["n-calls-label", "Decisions"], ["calls-title", "Decisions"], ["n-ran-label", "Allowed"], ["n-refused-label", "Denied"]]) {
    $(id).textContent = said;
  }
  WORDS.heads = ["Keys", "Actions", "Systems"];
  WORDS.units = ["decision", "decision", "decision"];
  OUTCOMES.splice(0, OUTCOMES.length, ["ran", "Allowed"], ["refused", "Denied"], ["failed", "Not decided"]);
}

/** A time of a field, as the clock of this machine has it. */
const seconds = (field) => new Date(field).getTime() / 1000;

/** Ask for the key of a dashboard. */
function askKey(why) {
  const dialog = $("key");
  $("key-why").textContent = why;
  $("key-input").value = "";
  return new Promise((done) => {
    dialog.addEventListener("close", function answered() {
      const { value } = $("key-input");
      if (!value) return dialog.showModal();
      dialog.removeEventListener("close", answered);
      return done(value);
    });
    dialog.showModal();
  });
}

function state(isLive) {
  $("state").dataset.state = isLive ? "live" : "lost";
  const said = isLive ? "Live" : "Disconnected, trying again";
  if ($("state-text").textContent !== said) $("state-text").textContent = said;
}

for (const button of document.querySelectorAll(".number[data-outcome]")) {
  button.addEventListener("click", () => choose("outcome", button.dataset.outcome));
}
$("search").addEventListener("input", ({ target }) => {
  wanted.text = target.value.trim().toLowerCase();
  shown = PAGE;
  archive?.changed();
  due();
});
$("more").addEventListener("click", () => {
  if (rows.size() < shown) archive?.older();
  shown += PAGE;
  due();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    $("search").focus();
    event.preventDefault();
  } else if (event.key === "Escape" && !$("key").open) clearAll();
});

follow({
  answer: (answer, isWhole, isAnew) => {
    take(answer, isWhole, isAnew);
    for (const row of Array.isArray(answer.events) ? answer.events : []) if (row && row.seq < floor) floor = row.seq;
  },
  state,
  key: askKey,
});
