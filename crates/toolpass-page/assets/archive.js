// A dashboard's past: what the server keeps beyond what this page holds, found by the filters; files of it; the address of a
// selection. The key is in none of these addresses.

import { ask } from "./feed.js";

/** The name of a filter in an address and at the server, and here. */
const NAMES = [["outcome", "outcome"], ["user", "person"], ["tool", "tool"], ["system", "system"], ["server", "server"], ["q", "text"], ["id", "id"], ["from", "from"], ["to", "to"]];

const $ = (id) => document.getElementById(id);

export class Archive {
  #wanted;
  #to;
  #timer = 0;
  /** Where to look on: null for from the newest, undefined when there is nothing older. */
  #cursor = null;
  #round = 0;

  /**
   * @param {object} wanted the filters of the page, read and written
   * @param {object} to `rows(answer)`: rows that were found; `drawn()`: something else to show; `narrowed()`: the filters changed;
   *   `oldest()`: the number from which on the page holds every run
   */
  constructor(wanted, to) {
    this.#wanted = wanted;
    this.#to = to;
    $("archive").hidden = false;
    for (const name of ["from", "to"]) {
      $(name).addEventListener("change", ({ target }) => {
        wanted[name] = target.value;
        to.narrowed();
        this.changed();
      });
    }
    for (const format of ["csv", "jsonl"]) $(format).addEventListener("click", () => this.#save(format));
    this.#readAddress();
  }

  /** Whether the server may have older runs that fit. */
  hasOlder() {
    return this.#cursor !== undefined;
  }

  /** The filters are others now: look for what fits, once the person has stopped typing. */
  changed() {
    this.#cursor = null;
    this.#round += 1;
    clearTimeout(this.#timer);
    this.#writeAddress();
    if (this.#query().size > 0) this.#timer = setTimeout(() => this.older(), 300);
  }

  /** Fetch the next older runs that fit. */
  async older() {
    if (this.#cursor === undefined) return;
    const round = this.#round;
    const query = this.#query();
    const isAll = query.size === 0;
    let before = this.#cursor ?? (isAll ? this.#to.oldest() : null);
    this.#say("Looking…");
    try {
      let found;
      do {
        if (before !== null) query.set("before", String(before));
        const answer = await ask(`events?${query}`);
        if (!answer.ok) throw new Error((await answer.json()).error);
        found = await answer.json();
        if (round !== this.#round) return;
        before = found.older;
        // One answer looks at so many runs; a rare text may stand before them all.
      } while (found.events.length === 0 && before !== undefined);
      this.#cursor = before;
      this.#say(found.older === undefined ? `${isAll ? "Everything" : "Everything that fits"} is shown.` : "");
      this.#to.rows(found, isAll);
    } catch (error) {
      if (round === this.#round) this.#say(`Not found: ${error.message}`);
    }
    this.#to.drawn();
  }

  /** Everything that fits, as a file. */
  async #save(format) {
    const query = this.#query();
    query.set("format", format);
    this.#say("Saving…");
    try {
      const answer = await ask(`export?${query}`);
      if (!answer.ok) throw new Error((await answer.json()).error);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await answer.blob());
      link.download = /filename="([\w.]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? `runs.${format}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      this.#say("");
    } catch (error) {
      this.#say(`Not saved: ${error.message}`);
    }
  }

  /** The filters as the server reads them. */
  #query() {
    const query = new URLSearchParams();
    for (const [name, own] of NAMES) {
      const value = this.#wanted[own];
      if (!value) continue;
      const isTime = name === "from" || name === "to";
      query.set(name, isTime ? String(Math.floor(new Date(value).getTime() / 1000)) : value);
    }
    return query;
  }

  /** The address says what is selected, so that it can be given to somebody else. */
  #writeAddress() {
    const query = new URLSearchParams();
    for (const [name, own] of NAMES) if (this.#wanted[own]) query.set(name, this.#wanted[own]);
    history.replaceState(null, "", query.size > 0 ? `?${query}` : location.pathname);
  }

  #readAddress() {
    const query = new URLSearchParams(location.search);
    for (const [name, own] of NAMES) {
      const value = query.get(name);
      if (!value) continue;
      this.#wanted[own] = name === "q" ? value.toLowerCase() : value;
      if (name === "from" || name === "to") $(name).value = value;
    }
    if (query.size === 0) return;
    this.#to.narrowed();
    this.older();
  }

  #say(text) {
    $("archive-state").textContent = text;
  }
}
