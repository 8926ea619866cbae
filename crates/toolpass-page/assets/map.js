// The map: which tools reached which systems. Columns of buttons with curves between them; nothing is measured, since every
// node has one height.

import { outcome, requests, system, text } from "./words.js";
import { element } from "./rows.js";

const NODE = 52;
const MOST = 12;
const SVG = document.querySelector("svg").namespaceURI;

/** What the map shows of these calls: columns of nodes, and links between neighbouring columns. */
export function survey(calls) {
  const columns = [new Map(), new Map(), new Map()];
  const links = [new Map(), new Map()];
  const add = (into, key, isRefused, more = {}) => {
    const known = into.get(key) ?? { count: 0, refused: 0, ...more };
    known.count += 1;
    if (isRefused) known.refused += 1;
    into.set(key, known);
  };
  for (const { row } of calls) {
    const { kind } = outcome(row);
    if (kind === "handoff") continue;
    const tool = text(row.tool, 80);
    add(columns[1], tool, kind === "refused");
    if (row.server) {
      const server = text(row.server, 80);
      add(columns[0], server, kind === "refused");
      add(links[0], JSON.stringify([server, tool]), kind === "refused", { from: server, to: tool });
    }
    for (const request of requests(row)) {
      const isRefused = request.outcome === "refused";
      add(columns[2], system(request), isRefused);
      add(links[1], JSON.stringify([tool, system(request)]), isRefused, { from: tool, to: system(request) });
    }
  }
  return { columns: columns.map(biggest), links: links.map((all) => [...all.values()]) };
}

function biggest(nodes) {
  const sorted = [...nodes].sort((one, other) => other[1].count - one[1].count || (one[0] < other[0] ? -1 : 1));
  return { nodes: sorted.slice(0, MOST).map(([name, numbers]) => ({ name, ...numbers })), hidden: Math.max(0, sorted.length - MOST) };
}

/** Where the middle of a node is; columns stand in the middle of the height. Nothing for a node that is not drawn. */
function middle(nodes, name, height) {
  const index = nodes.findIndex((node) => node.name === name);
  return index < 0 ? null : (height - nodes.length * NODE) / 2 + (index + 0.5) * NODE;
}

const NAMES = ["server", "tool", "system"];
/** What stands over the columns, and what is counted in each; a page of something else has other words. */
export const WORDS = { heads: ["Servers", "Tools", "Systems"], units: ["call", "call", "request"] };

/** The map in its section; `choose(column, name)` is told of a chosen node. */
export class Graph {
  #section;
  #choose;
  #drawn = "";
  #links = [];

  constructor(section, choose) {
    this.#section = section;
    this.#choose = choose;
    const body = section.querySelector("#map-body");
    for (const event of ["pointerover", "focusin"]) body.addEventListener(event, ({ target }) => this.#light(target.closest?.(".node")));
    for (const event of ["pointerleave", "focusout"]) body.addEventListener(event, () => this.#light(null));
  }

  /** Draw these calls; `chosen` are the nodes the list is narrowed to, by column name. */
  draw(calls, chosen) {
    const { columns, links } = survey(calls);
    const isShown = columns[0].nodes.length > 0 || columns[2].nodes.length > 0;
    this.#section.hidden = !isShown;
    const state = JSON.stringify([columns, links, chosen]);
    if (!isShown || state === this.#drawn) return;
    this.#drawn = state;
    const used = [0, 1, 2].filter((index) => index === 1 || columns[index].nodes.length > 0);
    const height = Math.max(...used.map((index) => columns[index].nodes.length)) * NODE;
    const [head, body] = [this.#section.querySelector("#map-head"), this.#section.querySelector("#map-body")];
    const focused = document.activeElement?.closest?.(".node")?.dataset.node;
    head.replaceChildren();
    body.replaceChildren();
    this.#links = [];
    for (const [place, index] of used.entries()) {
      if (place > 0) {
        head.append(element("span"));
        body.append(this.#curves(links[index - 1], columns[index - 1].nodes, columns[index].nodes, index, height));
      }
      head.append(element("h2", WORDS.heads[index]));
      body.append(this.#column(columns[index], index, links, chosen[NAMES[index]]));
    }
    for (const part of [head, body]) part.dataset.columns = String(used.length);
    if (focused) body.querySelector(`[data-node="${CSS.escape(focused)}"]`)?.focus();
  }

  #column({ nodes, hidden }, index, links, chosen) {
    const column = element("div", "", "column");
    for (const node of nodes) {
      const button = element("button", "", "node");
      button.type = "button";
      button.dataset.node = `${index}:${node.name}`;
      button.setAttribute("aria-pressed", String(chosen === node.name));
      const next = index < 2 ? links[index].filter((link) => link.from === node.name).map((link) => link.to) : [];
      button.append(element("bdi", node.name, "name"));
      const unit = WORDS.units[index];
      const said = element("span", `${node.count} ${unit}${node.count === 1 ? "" : "s"}`, "numbers-of");
      if (node.refused > 0) said.append(element("span", `${node.refused} refused`, "bad"));
      button.append(said);
      if (next.length > 0) button.append(element("span", `, leads to ${next.join(", ")}`, "hidden"));
      button.addEventListener("click", () => this.#choose(NAMES[index], node.name));
      column.append(button);
    }
    if (hidden > 0) column.append(element("p", `and ${hidden} more`, "quiet"));
    return column;
  }

  #curves(links, left, right, index, height) {
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("class", "curves");
    picture.setAttribute("viewBox", `0 0 100 ${height}`);
    picture.setAttribute("height", String(height));
    picture.setAttribute("preserveAspectRatio", "none");
    picture.setAttribute("aria-hidden", "true");
    for (const link of links) {
      const [from, to] = [middle(left, link.from, height), middle(right, link.to, height)];
      if (from === null || to === null) continue;
      for (const [isRefused, count] of [[false, link.count - link.refused], [true, link.refused]]) {
        if (count <= 0) continue;
        const shift = link.refused > 0 && link.refused < link.count ? (isRefused ? 4 : -4) : 0;
        const [y1, y2] = [from + shift, to + shift];
        const path = document.createElementNS(SVG, "path");
        path.setAttribute("d", `M0 ${y1}C50 ${y1} 50 ${y2} 100 ${y2}`);
        path.setAttribute("class", isRefused ? "link refused" : "link");
        path.setAttribute("stroke-width", String(Math.min(10, 1.5 + Math.sqrt(count))));
        picture.append(path);
        this.#links.push({ path, from: `${index - 1}:${link.from}`, to: `${index}:${link.to}` });
      }
    }
    return picture;
  }

  /** Light a node and everything up- and downstream of it. */
  #light(node) {
    const body = this.#section.querySelector("#map-body");
    body.classList.toggle("lit", Boolean(node));
    if (!node) return;
    const down = this.#reach(node.dataset.node, "from", "to");
    const up = this.#reach(node.dataset.node, "to", "from");
    const reached = new Set([...up, ...down]);
    for (const other of body.querySelectorAll(".node")) other.classList.toggle("on", reached.has(other.dataset.node));
    for (const { path, from, to } of this.#links) {
      path.classList.toggle("on", (down.has(from) && down.has(to)) || (up.has(from) && up.has(to)));
    }
  }

  #reach(start, near, far) {
    const found = new Set([start]);
    for (const one of found) {
      for (const link of this.#links) if (link[near] === one) found.add(link[far]);
    }
    return found;
  }
}
