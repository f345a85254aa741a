"use strict";
const root = document.documentElement;
const $ = (id) => document.getElementById(id);
const make = (tag, text, name) => { const node = document.createElement(tag); if (text !== undefined) node.textContent = text; if (name) node.className = name; return node; };
const count = (value) => value.toLocaleString("en-US");

const theme = $("theme");
const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const shown = () => theme.setAttribute("aria-pressed", String(dark()));
try { const kept = localStorage.getItem("board-theme"); if (kept === "dark" || kept === "light") root.dataset.theme = kept; } catch { /* storage may be off */ }
shown();
theme.addEventListener("click", () => {
  root.dataset.theme = dark() ? "light" : "dark";
  try { localStorage.setItem("board-theme", root.dataset.theme); } catch { /* storage may be off */ }
  shown();
});

let data = null, at = 0;

function prompt(index) {
  let lines = [];
  for (let i = 0; i <= index; i++) lines = lines.slice(0, data.prompts[i][0]).concat(data.prompts[i][1]);
  return lines;
}

function row(list, term, value, name) {
  if (value === "" || value === undefined || value === null) return;
  const cell = make("dd", undefined, name);
  if (value instanceof Node) cell.append(value); else cell.textContent = value;
  list.append(make("dt", term), cell);
}

function detail(item) {
  const list = $("detail");
  list.replaceChildren();
  row(list, "move", item.move || "none that could be read");
  for (const sent of item.dispatch) row(list, sent.specialist, sent.ask + (sent.handles.length ? " (" + sent.handles.join(" ") + ")" : ""));
  row(list, "out of scope", item.out_of_scope.join(" "));
  row(list, "reason", item.reason);
  row(list, "verdict", item.verdicts.join(" → ").replaceAll("_", " "), item.verdict === "ok" ? "" : "bad");
  row(list, "", item.detail);
  row(list, "repeat", item.justified);
  row(list, "tokens in", count(item.tokens_in) + " " + item.tokens_source + (item.attempts > 1 ? ", " + item.attempts + " attempts" : ""));
  if (item.tokens_cached) row(list, "cached", count(item.tokens_cached));
  row(list, "tokens out", count(item.tokens_out));
  row(list, "prompt", count(item.prompt_tokens) + " of at most " + count(item.bound) + ", by estimate");
  row(list, "difficulty", String(item.difficulty));
  row(list, "latency", count(item.latency_ms) + " ms");
  row(list, "model", item.model + (item.method && item.method !== item.model ? " by " + item.method.replaceAll("_", " ") : ""));
  row(list, "at", item.at);
  if (item.raw) row(list, "what it said", make("pre", item.raw));
}

function changes(old, fresh) {
  const best = Array.from({ length: old.length + 1 }, () => new Array(fresh.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--) for (let j = fresh.length - 1; j >= 0; j--) best[i][j] = old[i] === fresh[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  const marked = [];
  for (let i = 0, j = 0; i < old.length || j < fresh.length;) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) { marked.push([fresh[j], ""]); i++; j++; }
    else if (i < old.length && (j >= fresh.length || best[i + 1][j] >= best[i][j + 1])) marked.push([old[i++], "del"]);
    else marked.push([fresh[j++], "add"]);
  }
  return marked;
}

function book(index) {
  const page = $("book"), item = data.decisions[index], hash = $("hash");
  page.replaceChildren();
  hash.replaceChildren();
  if (!data.prompts.length) { hash.textContent = "This prompt cannot be rebuilt: " + data.why; return; }
  hash.append(make("span", item.same ? "✓ rebuilt byte-equal" : "✗ differs from what was sent", "tick " + (item.same ? "good" : "bad")), make("code", "sha256 " + item.prompt_sha256.slice(0, 16) + "…"));
  const now = prompt(index), marks = $("diff").checked && index > 0;
  if (!marks) page.append(make("div", "system: " + data.system, "sys"));
  const put = (line, name) => page.append(make("div", line, (name || "") + (/^[A-Z]{3,}$/.test(line) ? " label" : "")));
  const from = marks ? data.prompts[index][0] : now.length;
  now.slice(0, from).forEach((line) => put(line));
  if (marks) changes(prompt(index - 1).slice(from), now.slice(from)).forEach(([line, name]) => put(line, name));
  const first = page.querySelector(".add,.del");
  page.scrollTop = first ? Math.max(0, first.offsetTop - page.offsetTop - page.clientHeight / 3) : 0;
}

function select(index, scroll) {
  at = Math.max(0, Math.min(data.decisions.length - 1, index));
  const item = data.decisions[at], input = $("cursor");
  input.value = String(at);
  input.setAttribute("aria-valuetext", "decision " + item.n + ": " + item.move + ", " + item.tokens_in + " tokens in");
  for (const line of document.querySelectorAll("line.cursor")) { line.setAttribute("x1", at * 10 + 5); line.setAttribute("x2", at * 10 + 5); }
  $("which").textContent = item.n + " of " + data.decisions[data.decisions.length - 1].n;
  $("back").disabled = at === 0;
  $("on").disabled = at === data.decisions.length - 1;
  for (const line of document.querySelectorAll("tr.on")) line.classList.remove("on");
  const mine = document.querySelector('#decisions tr[data-n="' + item.n + '"]');
  if (mine) mine.classList.add("on");
  const roll = $("roll"), place = (at * 10 + 5) / (data.decisions.length * 10) * roll.scrollWidth;
  if (scroll && (place < roll.scrollLeft || place > roll.scrollLeft + roll.clientWidth)) roll.scrollLeft = place - roll.clientWidth / 2;
  detail(item);
  book(at);
  history.replaceState(null, "", at === data.decisions.length - 1 ? "#" : "#d" + item.n);
}

function under(event, box) {
  const edge = box.getBoundingClientRect();
  return Math.max(0, Math.min(data.decisions.length - 1, Math.floor((event.clientX - edge.left) / edge.width * data.decisions.length)));
}

function hover(event) {
  const box = $("canvas"), index = under(event, box), item = data.decisions[index], tip = $("tip");
  const ghost = box.querySelector(".ghost");
  ghost.setAttribute("visibility", "visible"); ghost.setAttribute("x1", index * 10 + 5); ghost.setAttribute("x2", index * 10 + 5);
  tip.replaceChildren(make("b", "decision " + item.n + ", hop " + item.hop), make("br"), (item.move || "no move").slice(0, 120), make("br"), count(item.tokens_in) + " tokens in, difficulty " + item.difficulty + (item.verdict === "ok" ? "" : ", " + item.verdict.replaceAll("_", " ")));
  tip.hidden = false;
  const place = (index + .5) / data.decisions.length * box.clientWidth;
  tip.style.left = Math.max(0, Math.min(box.clientWidth - tip.offsetWidth, place + (place > box.clientWidth / 2 ? -tip.offsetWidth - 10 : 10))) + "px";
}

function away() { $("tip").hidden = true; document.querySelector(".ghost").setAttribute("visibility", "hidden"); }

async function show(button) {
  const alias = button.dataset.show, line = button.closest("tr"), next = line.nextElementSibling;
  if (next && next.dataset.preview) { next.remove(); button.setAttribute("aria-expanded", "false"); return; }
  const cell = make("td"), body = make("pre", "…", "preview"), extra = make("tr");
  cell.colSpan = line.children.length; cell.append(body); extra.append(cell); extra.dataset.preview = "1"; line.after(extra);
  button.setAttribute("aria-expanded", "true");
  const reply = await fetch($("page").dataset.thread + "/artifacts/" + alias);
  body.textContent = reply.ok ? (await reply.json()).text : "cannot be read (" + reply.status + ")";
}

async function again(event) {
  event.preventDefault();
  const button = $("again"), list = $("answers"), item = data.decisions[at], times = Number($("times").value);
  button.disabled = true;
  list.replaceChildren(make("dt", "asking…"), make("dd", times + " times"));
  try {
    const reply = await fetch($("page").dataset.thread + "/decisions/" + item.n + "/ask?times=" + times, { method: "POST", headers: { "X-Desk-Board": "1" } });
    const said = await reply.json();
    list.replaceChildren();
    if (!reply.ok) { row(list, "refused", said.detail, "bad"); return; }
    row(list, "the same", said.matched + " of " + said.asked + " (" + Math.round(100 * said.match_rate) + " %)", said.matched === said.asked ? "good" : "warn");
    row(list, "on record", said.recorded);
    for (const [move, often] of Object.entries(said.moves)) row(list, often + " ×", move + ": " + said.reasons[move]);
    row(list, "model", said.model + ", " + count(said.tokens_in) + " tokens in, " + count(said.latency_ms) + " ms");
  } catch { list.replaceChildren(make("dt", "failed"), make("dd", "the server did not answer")); } finally { button.disabled = false; }
}

function begin(keep) {
  data = JSON.parse($("data").textContent);
  for (const button of document.querySelectorAll("[data-show]")) button.addEventListener("click", () => show(button));
  if (!data.decisions.length) return;
  const labels = data.numbers.map((n) => make("span", String(n)));
  document.querySelector(".xaxis").replaceChildren(...labels);
  const canvas = $("canvas");
  canvas.addEventListener("pointermove", hover);
  canvas.addEventListener("pointerleave", away);
  canvas.addEventListener("click", (event) => select(under(event, canvas), true));
  document.querySelector(".lanes").addEventListener("click", (event) => select(under(event, event.currentTarget)));
  $("cursor").addEventListener("input", (event) => select(Number(event.target.value), true));
  $("back").addEventListener("click", () => select(at - 1, true));
  $("on").addEventListener("click", () => select(at + 1, true));
  $("diff").addEventListener("change", () => book(at));
  $("decisions").addEventListener("click", (event) => { const line = event.target.closest("tr[data-n]"); if (line && !event.target.closest("details")) select(data.decisions.findIndex((item) => item.n === Number(line.dataset.n)), true); });
  if ($("ask")) $("ask").addEventListener("submit", again);
  const wanted = keep !== undefined ? keep : data.decisions.findIndex((item) => "#d" + item.n === location.hash);
  select(wanted < 0 ? data.decisions.length - 1 : wanted, true);
}

async function follow() {
  const page = $("page"), live = $("live");
  if (!page.dataset.live) { live.className = "soft"; live.textContent = ""; return; }
  live.className = "soft live";
  try {
    const reply = await fetch(location.pathname, { headers: { "X-Desk-Digest": page.dataset.digest } });
    if (reply.status === 200) {
      const fresh = new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("page");
      if (fresh) {
        const latest = !data || at >= data.decisions.length - 1, focus = document.activeElement && document.activeElement.id, place = [scrollX, scrollY];
        page.replaceWith(document.adoptNode(fresh));
        begin(latest ? -1 : at);
        scrollTo(...place);
        if (focus && $(focus)) $(focus).focus({ preventScroll: true });
      }
    }
    live.textContent = "live, " + (data ? data.decisions.length : 0) + " decisions";
  } catch { live.textContent = "the server does not answer"; }
  setTimeout(follow, document.hidden ? 10000 : 1500);
}

if ($("page")) { begin(); follow(); }
