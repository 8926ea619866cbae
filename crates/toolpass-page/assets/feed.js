// Where rows come from: the stream, read with `fetch` because a bearer token cannot be sent otherwise, and polling where
// there is no stream. One object in the form of `events` comes out of both.

const KEY = "toolpass-key";
let key = sessionStorage.getItem(KEY);

/**
 * Deliver answers for as long as the page is open.
 * @param {object} to `answer(object, isWhole)`: isWhole when it lists every running call; `state(live)`; `key(why)`: asks for a key
 */
export async function follow(to) {
  takeKeyFromAddress();
  const known = { epoch: null, next: 0, message: null };
  let hasStream = true;
  const deliver = (answer, isWhole) => {
    const isNew = known.epoch !== null && answer.epoch !== undefined && answer.epoch !== known.epoch;
    // Numbers of another life are no numbers of this one.
    if (isNew && !answer.fromStart) return false;
    known.epoch = answer.epoch ?? known.epoch;
    known.next = Number.isSafeInteger(answer.next) ? answer.next : known.next;
    to.answer(answer, isWhole, isNew);
    return true;
  };
  for (;;) {
    try {
      if (hasStream) hasStream = await stream(known, deliver, to.state);
      await poll(known, deliver);
      to.state(true);
    } catch (error) {
      to.state(false);
      if (error instanceof NoKey) {
        key = await to.key(error.message);
        sessionStorage.setItem(KEY, key);
        continue;
      }
    }
    await new Promise((done) => setTimeout(done, 1000));
  }
}

class NoKey extends Error {}

/** Ask for something under the page's address. */
export async function ask(name, headers = {}) {
  if (key) headers.Authorization = `Bearer ${key}`;
  const answer = await fetch(name, { headers, cache: "no-store", credentials: "same-origin" });
  if (answer.status === 401) throw new NoKey(key ? "That key is not accepted." : "");
  if (answer.status === 403) throw new NoKey("That key may not see runs: it lacks the scope “dashboard”.");
  return answer;
}

async function poll(known, deliver) {
  for (const since of [known.next, 0]) {
    const answer = await ask(`events?since=${since}`);
    if (!answer.ok) throw new Error(`events: ${answer.status}`);
    const rows = await answer.json();
    rows.fromStart = since === 0;
    if (deliver(rows, true)) return;
  }
}

/** Read the stream until it ends. Answers whether there is one. */
async function stream(known, deliver, state) {
  const headers = known.message ? { "Last-Event-ID": known.message } : {};
  const answer = await ask("events/stream", headers);
  if (answer.status === 404 || answer.status === 405) return false;
  // Too many read one: rows are asked for instead.
  if (answer.status === 503) return true;
  if (!answer.ok || !answer.body) throw new Error(`stream: ${answer.status}`);
  state(true);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let isFirst = true;
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true }));
    if (done) break;
    text += value;
    const messages = text.split("\n\n");
    text = messages.pop();
    for (const message of messages) {
      const read = parse(message);
      if (read === null) continue;
      // A stream of another life begins at its start.
      read.rows.fromStart = true;
      deliver(read.rows, isFirst);
      known.message = read.id ?? known.message;
      isFirst = false;
    }
  }
  return true;
}

/** A message's id and object; nothing for a comment. */
function parse(message) {
  const field = (name) => message.split("\n").find((line) => line.startsWith(name))?.slice(name.length);
  const data = field("data: ");
  return data === undefined ? null : { id: field("id: "), rows: JSON.parse(data) };
}

/** A key may come once in the fragment; it does not stay in the address. */
function takeKeyFromAddress() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  key = given;
  sessionStorage.setItem(KEY, given);
}
