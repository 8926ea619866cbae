// The list: one element a call, cloned from a template, changed in place, its detail made when it is opened.

import { clock, count, explained, outcome, requests, sentence, system, tags, text, took, verdict, whereabouts } from "./words.js";

const MARKS = 7;

/** A list whose elements follow calls by their keys. */
export class Rows {
  #list;
  #elements = new Map();

  constructor(list) {
    this.#list = list;
    list.addEventListener("keydown", (event) => this.#move(event));
  }

  /** Show these calls in this order, touching only what differs. */
  show(calls, phrases) {
    const wanted = new Set(calls.map((call) => call.key));
    for (const [key, element] of this.#elements) {
      if (!wanted.has(key)) {
        element.node.remove();
        this.#elements.delete(key);
      }
    }
    let place = this.#list.firstElementChild;
    for (const call of calls) {
      let element = this.#elements.get(call.key);
      if (element === undefined) {
        element = { node: made("t-call"), call: null };
        this.#elements.set(call.key, element);
        const opened = element;
        element.node.querySelector("details").addEventListener("toggle", () => detail(opened, phrases));
      }
      if (element.call !== call) {
        element.call = call;
        fill(element.node, call.row, phrases);
        detail(element, phrases);
      }
      if (element.node === place) place = place.nextElementSibling;
      else this.#list.insertBefore(element.node, place);
    }
  }

  /** How many calls are shown. */
  size() {
    return this.#elements.size;
  }

  /** Open one call, once. */
  open(call) {
    const element = call && this.#elements.get(call.key);
    if (!element || element.wasOpened) return;
    element.wasOpened = true;
    element.node.querySelector("details").open = true;
  }

  /** Arrow keys go from call to call. */
  #move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.target.tagName !== "SUMMARY") return;
    const all = [...this.#list.querySelectorAll("summary")];
    all[all.indexOf(event.target) + step]?.focus();
    event.preventDefault();
  }
}

/** A copy of a template's first element. */
export const made = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);

/** An element with a text in it. */
export function element(name, said = "", className = "") {
  const node = document.createElement(name);
  node.textContent = said;
  if (className) node.className = className;
  return node;
}

function put(node, selector, said) {
  const found = node.querySelector(selector);
  if (found.textContent !== said) found.textContent = said;
  return found;
}

function fill(node, row, phrases) {
  const { kind, word } = outcome(row);
  node.dataset.kind = kind;
  node.querySelector("use").setAttribute("href", `#i-${kind}`);
  put(node, ".word", word);
  put(node, ".tool", text(row.tool, 120));
  put(node, ".who", [row.user ?? "no session", row.server].filter(Boolean).map((one) => text(one, 120)).join(" · "));
  put(node, ".where", whereabouts(row, phrases));
  const time = clock(row);
  const when = put(node, "time", time.short);
  when.dateTime = time.whole;
  when.title = time.whole;
  put(node, ".took", took(row));
  node.querySelector(".marks").replaceChildren(...marks(row));
}

/** One small square a system, with two of its letters. */
function marks(row) {
  const systems = new Map();
  for (const request of requests(row)) {
    const name = system(request);
    systems.set(name, systems.get(name) || request.outcome === "refused");
  }
  const shown = [...systems].slice(0, MARKS).map(([name, isRefused]) => {
    const mark = element("span", [...name].slice(0, 2).join(""), `mark hue-${hue(name)}`);
    mark.title = isRefused ? `${name}: refused` : name;
    if (isRefused) mark.classList.add("refused");
    return mark;
  });
  if (systems.size > MARKS) shown.push(element("span", `+${systems.size - MARKS}`, "mark"));
  return shown;
}

/** A colour for a name, the same each time. */
export function hue(name) {
  let sum = 0;
  for (const one of name) sum = (sum * 31 + one.codePointAt(0)) % 9973;
  return sum % 8;
}

/** Make the detail of a call that is open; forget it when it is closed. */
function detail({ node, call }, phrases) {
  const place = node.querySelector(".detail");
  if (!node.querySelector("details").open) return place.replaceChildren();
  const { row } = call;
  const parts = [];
  if (row.code || row.reason) parts.push(stop(row));
  const all = requests(row);
  const how = explained(row);
  if (how) parts.push(...explanation(how, row));
  else if (all.length > 0) {
    parts.push(element("h3", count(all.length, "request")));
    const list = element("ol", "", "requests");
    list.append(...all.slice(0, 500).map((request) => requestNode(request, phrases, row.reason)));
    parts.push(list);
    if (all.length > 500) parts.push(element("p", `and ${all.length - 500} more`, "quiet"));
  }
  if (row.cut) parts.push(element("p", text(row.cut), "quiet"));
  parts.push(facts(row));
  return place.replaceChildren(...parts);
}

/** Why a call was stopped, or what it ended in. */
function stop(row) {
  const { kind } = outcome(row);
  const box = element("div", "", `stop ${kind}`);
  box.append(quoted(element("p", "", "why"), text(row.reason ?? "no reason was given")));
  const below = element("p", "", "below");
  if (row.code) below.append(element("code", text(row.code, 80)));
  if (kind === "refused" && !explained(row)) {
    const atRequest = requests(row).some((request) => request.outcome === "refused");
    below.append(element("span", atRequest ? "The refused request was never sent." : "The tool did not run.", "never"));
  }
  if (below.hasChildNodes()) box.append(below);
  return box;
}

function requestNode(request, phrases, said) {
  const node = made("t-request");
  const { kind, word } = verdict(request);
  node.dataset.kind = kind;
  node.querySelector("use").setAttribute("href", `#i-${kind}`);
  put(node, ".word", word);
  put(node, "bdi", sentence(request, phrases));
  node.querySelector(".tags").append(...tags(request).map((tag) => element("span", tag, "tag")));
  const line = node.querySelector(".line");
  line.append(element("code", `${text(request.method, 20)} ${text(request.host, 200)}${text(request.path, 1000)}`));
  if (request.action) line.append(element("code", text(request.action, 200), "action"));
  // The reason of the call is that of its first refused request; it stands above already.
  if (request.reason && request.reason !== said) {
    const reason = quoted(node.querySelector(".reason"), text(request.reason));
    reason.hidden = false;
  }
  if (kind === "refused") node.querySelector(".said").append(element("p", "Never sent.", "never"));
  return node;
}

/** A text in which what stands between backticks is set as code. */
function quoted(node, said) {
  const parts = said.split(/`([^`]+)`/);
  node.append(...parts.map((part, index) => (index % 2 === 1 ? element("code", part) : part)));
  return node;
}

/** What the call was given, and all else that is known of it. */
function facts(row) {
  const place = element("div", "", "facts");
  const given = row.arguments;
  const isNamed = given && typeof given === "object" && !Array.isArray(given);
  const named = isNamed ? Object.entries(given).slice(0, 100) : given === undefined ? [] : [["all", given]];
  const [first, second] = [element("section"), element("section")];
  first.append(element("h3", "Arguments"), terms((add) => named.forEach(([name, value]) => add(text(name, 100), shown(value), true))));
  second.append(element("h3", explained(row) ? "Decision" : "Call"), terms((add) => about(row, add)));
  if (row.reported_by && row.id) second.append(linkTo(row.id, explained(row) ? "decision" : "call"));
  place.append(...(named.length > 0 ? [first] : []), second);
  return place;
}

/** How a decision was made: what was found, what the system was asked, where the time went. */
function explanation(how, row) {
  const [asked] = requests(row);
  const found = element("section");
  found.append(element("h3", "How it was decided"), terms((add) => {
    add("Asked", asked && `${text(asked.action, 200)} on ${text(asked.resource, 1000)}`, true);
    add("Connection", asked?.connection);
    add("Account", how.masked ? "masked" : how.identity || "none was found");
    add("Rule", how.rule, true);
    add("As of", how.as_of);
    add("More", how.truncated && "more calls were made than are kept");
  }));
  const calls = list(how.calls);
  const steps = list(how.steps);
  return [
    found,
    ...(calls.length > 0 ? table("Calls to the system", ["Request", "Status", "Took"], calls.map((call) => [
      `${text(call.method, 20)} ${text(call.host ?? "", 200)}${text(call.path, 1000)}`,
      text(call.status, 20),
      call.cached ? "stored look-up" : call.shared ? "made for another question" : millis(call.took_ms),
    ])) : []),
    ...(steps.length > 0 ? table("Steps", ["Step", "Took", "Note"], steps.map((step) => [text(step.name, 100), millis(step.took_ms), text(step.note ?? "", 400)])) : []),
  ];
}

const list = (value) => (Array.isArray(value) ? value.filter((one) => one && typeof one === "object").slice(0, 200) : []);
const millis = (value) => (Number.isFinite(value) ? `${value} ms` : "");

/** A table under a heading. */
function table(title, heads, lines) {
  const place = element("table", "", "steps");
  place.append(element("caption", title, "hidden"));
  const head = element("tr");
  for (const said of heads) {
    const cell = element("th", said);
    cell.scope = "col";
    head.append(cell);
  }
  place.append(head);
  for (const line of lines) {
    const row = element("tr");
    row.append(...line.map((said, index) => {
      const cell = element("td");
      cell.append(element(index === 0 ? "code" : "bdi", said));
      return cell;
    }));
    place.append(row);
  }
  return [element("h3", title), place];
}

/** A link to the page with this row alone. It holds no key. */
function linkTo(id, what) {
  const link = element("a", `Link to this ${what}`, "link-to");
  link.href = `?${new URLSearchParams({ id })}`;
  return link;
}

/** A list of terms and values; those without a value are left out. */
function terms(tell) {
  const list = element("dl");
  tell((term, value, isCode = false) => {
    if (value === undefined || value === null || value === "") return;
    const place = element("dd");
    place.append(element(isCode ? "code" : "bdi", text(value, 20_000)));
    list.append(element("dt", term), place);
  });
  return list;
}

function about(row, add) {
  add("Person", row.user);
  add("Session", row.session, true);
  if (!explained(row)) add("Server", row.server);
  add("Declared effect", row.effect);
  add("Permission", row.authorization);
  if (row.entitled === false) add("Entitlements", "the file does not list this tool");
  if (row.revoked_during_call === true) add("Afterwards", "the person has no longer the permission for something it destroyed");
  if (row.redacted) add("Secrets replaced", `in ${count(Number(row.redacted), "text")}`);
  if (row.tainted) add("Outside text", `${count(Number(row.tainted), "text")} recorded, ${count(Number(row.fenced) || 0, "block")} fenced`);
  add("Began", clock(row).whole);
  add("Took", took(row));
  add(explained(row) ? "Asked with the key" : "Reported by", row.reported_by);
  add(explained(row) ? "Decision" : "Event", row.id, true);
  add("Inside of", row.parent, true);
}

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 1));
