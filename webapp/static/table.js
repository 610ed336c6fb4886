// The page of a game: shows what was picked without leaving the page, asks whether there is anything new, and says so.
// Without this file every link loads its page, and "Refresh" shows what is new.

const FIRST_WAIT = 5000;
const LONGEST_WAIT = 60000;
const FAST_WAIT = 1000;
// Bots have answered long before; if not, it may take as long as with people.
const FAST_POLLS = 30;
const GONE = [401, 403, 404, 410];
const BUSY = [429, 503];

const main = () => document.getElementById("main");
const live = () => document.getElementById("live");
const pathOf = (url) => url.pathname + url.search;

let shown = pathOf(location);
let version = live().dataset.version;
let wait = FIRST_WAIT;
let polls = 0;
let stopped = false;
let timer;
let loads = 0;

// ---- what the reader is doing, which nothing may disturb ----

const isField = (element) => element?.matches?.("input:not([type=hidden]), select, textarea") ?? false;

function isChanged(field) {
  if (field.matches("select")) return field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
  return ["checkbox", "radio"].includes(field.type) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

const changedFields = (part) => [...part.querySelectorAll("input:not([type=hidden]), select, textarea")].filter(isChanged);

// A refused form is shown at its own address, and a choice is in the query: both stay until the reader leaves them.
function isReaderBusy() {
  const isSelecting = !getSelection().isCollapsed && main().contains(getSelection().anchorNode);
  return shown !== live().dataset.page || isSelecting || isField(document.activeElement) || changedFields(main()).length > 0;
}

// ---- replacing parts of the page ----

// Two pages have the same control in other elements: known by its id, where it leads, its place in the mine, or what it says.
function matchOf(element, part, fresh) {
  if (element.id) return fresh.querySelector(`#${CSS.escape(element.id)}`);
  const like = element.tagName.toLowerCase() + (element.classList[0] ? `.${CSS.escape(element.classList[0])}` : "");
  const [mine, others] = [part, fresh].map((each) => [...each.querySelectorAll(like)]);
  if (mine.length === 1 && others.length === 1) return others[0];
  const number = mine.indexOf(element);
  for (const trait of [(each) => each.getAttribute("href"), cellOf, labelOf]) {
    const value = trait(element);
    const matches = value ? others.filter((other) => trait(other) === value) : [];
    if (matches.length) return matches.includes(others[number]) ? others[number] : matches[0];
  }
  return null;
}

const labelOf = (element) => (element.querySelector("summary") ?? element).textContent.trim();

function cellOf(element) {
  const href = element.getAttribute("href");
  return href ? new URL(href, location).searchParams.get("cell") : null;
}

// What scripts make true is hidden in the page, and what is true only without them is not.
function adapt(part) {
  part.querySelectorAll("[data-scripted]").forEach((element) => (element.hidden = false));
  part.querySelectorAll("[data-unscripted]").forEach((element) => (element.hidden = true));
}

// What was typed with a turn that is not confirmed any more stays in the other form for messages, if nothing is typed there.
function counterpartOf(field, fresh) {
  if (field.id) return fresh.querySelector(`#${CSS.escape(field.id)}`);
  const like = field.name && `[name="${CSS.escape(field.name)}"]:not([type=radio], [type=checkbox])`;
  const other = like && (fresh.querySelector(`${like}:not([id])`) ?? fresh.querySelector(like));
  if (other || field.name !== "message") return other;
  const form = document.getElementById("say");
  return form && !form.value ? form : null;
}

function keep(part, fresh) {
  for (const details of part.querySelectorAll("details")) {
    const match = details.open && matchOf(details, part, fresh);
    if (match) match.open = true;
  }
  for (const field of changedFields(part)) {
    const other = counterpartOf(field, fresh);
    if (!other) continue;
    other.value = field.value;
    const fold = other.closest("details");
    if (fold) fold.open = true;
    // A note replaces the one beside which it was typed, and no newer one.
    const replaced = field.form?.elements.replaces;
    if (replaced) other.form.elements.replaces.value = replaced.value;
  }
}

// Returns whether the focus is where it was; the caller decides where it goes otherwise.
function replace(part, fresh) {
  const focused = part.contains(document.activeElement) && document.activeElement !== part;
  const control = focused ? matchOf(document.activeElement, part, fresh) : null;
  const frames = [...part.querySelectorAll(".mine-frame")].map((frame) => frame.scrollLeft);
  const [left, top] = [scrollX, scrollY];
  keep(part, fresh);
  adapt(fresh);
  part.className = fresh.className;
  part.replaceChildren(...fresh.childNodes);
  part.querySelectorAll(".mine-frame").forEach((frame, number) => (frame.scrollLeft = frames[number] ?? 0));
  control?.focus({ preventScroll: true });
  scrollTo({ left, top, behavior: "instant" });
  return !focused || Boolean(control);
}

// Returns the page or part of a page that has this element.
async function load(address, id) {
  const answer = await fetch(address, { cache: "no-store", redirect: "error" });
  if (!answer.ok) throw new Error(answer.statusText);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!page.getElementById(id)) throw new Error(`no ${id}`);
  return page;
}

const pageAt = (address) => load(address, "main");
const boardAt = (address) => load(live().dataset.choice + new URL(address, location).search, "choose");

function replaceAround(page) {
  document.title = page.title;
  const [nav, freshNav] = [document, page].map((each) => each.querySelector(".site-nav"));
  if (nav && freshNav && !nav.contains(document.activeElement)) nav.replaceWith(freshNav);
}

// A board defines the drawings that it shows; those of the page's other parts stay.
function addSymbols(board) {
  const [symbols, fresh] = [document, board].map((each) => each.getElementById("symbols"));
  if (fresh && !symbols) main().append(fresh);
  const drawings = symbols && fresh ? fresh.querySelectorAll("g[id]") : [];
  for (const drawing of drawings) if (!document.getElementById(drawing.id)) symbols.querySelector("defs").append(drawing);
}

function replaceMain(page) {
  const fresh = page.getElementById("live");
  const isFocusKept = replace(main(), page.getElementById("main"));
  // Once a game is over nothing is new any more.
  if (!fresh) stop();
  else remember(fresh);
  return isFocusKept;
}

function remember(fresh) {
  for (const name of ["version", "seq"]) live().dataset[name] = fresh.dataset[name];
  live().toggleAttribute("data-fast", fresh.hasAttribute("data-fast"));
  version = fresh.dataset.version;
  say("");
}

// ---- picking cards and places ----

async function show(address, { push, link }) {
  const number = ++loads;
  const board = await boardAt(address);
  if (number !== loads) return;
  // Around another version of the board everything may be new.
  const isSame = board.getElementById("version").dataset.version === live().dataset.version;
  const page = isSame ? null : await pageAt(address);
  if (number !== loads) return;
  if (push) history.pushState(null, "", address);
  shown = pathOf(location);
  const isFocusKept = isSame ? replaceBoard(board) : replaceAll(page);
  if (link) focusAfter(link, isFocusKept);
}

function replaceBoard(board) {
  addSymbols(board);
  return replace(document.getElementById("choose"), board.getElementById("choose"));
}

function replaceAll(page) {
  const isFocusKept = replaceMain(page);
  replaceAround(page);
  restart();
  return isFocusKept;
}

// By keyboard a chosen place leads to the form below; every other control keeps the focus, if it is still there.
function focusAfter({ hash, isPlace, byKeyboard }, isFocusKept) {
  if (isFocusKept && !(byKeyboard && isPlace && hash === "#confirm")) return;
  const target = document.querySelector(hash) ?? document.getElementById("choose");
  if (!target) return;
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

function pick(event) {
  const link = event.target.closest?.("#choose a[href]");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || location.pathname !== live().dataset.page) return;
  const href = link.getAttribute("href");
  const url = new URL(href, location);
  if (url.pathname !== live().dataset.page || !url.search) return;
  event.preventDefault();
  const how = { hash: url.hash || "#choose", isPlace: link.matches(".mine__place"), byKeyboard: event.detail === 0 };
  const shownChoice = show(href, { push: true, link: how });
  const number = loads;
  // A choice that fails after another one was made is forgotten.
  shownChoice.then(sayPrompt, () => number === loads && location.assign(href));
}

function sayPrompt() {
  const text = document.querySelector("#choose :is(.choice__title, .choice__detail)")?.textContent ?? "";
  const detail = document.querySelector("#choose .choice__detail")?.textContent ?? "";
  say([...new Set([text.trim(), detail.trim()])].join(". ").replace(/\s+/g, " "));
}

addEventListener("popstate", () => {
  if (pathOf(location) === shown) return;
  const shownChoice = show(location.href, { push: false });
  const number = loads;
  shownChoice.catch(() => number === loads && location.reload());
});
document.addEventListener("click", pick);

// ---- what is new ----

function say(text) {
  const note = live().querySelector("[role=status]");
  note.classList.add("visually-hidden");
  note.textContent = text;
}

function offer(fresh, isTurn) {
  const note = live().querySelector("[role=status]");
  note.classList.remove("visually-hidden");
  note.replaceChildren(document.importNode(fresh.querySelector(isTurn ? "#live-turn" : "#live-change").content, true));
}

const headline = () => main().querySelector("h1")?.textContent.trim() ?? "";
const sentenceIn = (fresh, isTurn) => fresh.querySelector(isTurn ? "#live-turn" : "#live-change").content.querySelector("span").textContent;

async function showNews() {
  const page = await pageAt(live().dataset.page);
  const fresh = page.getElementById("live");
  const isTurn = !fresh || Number(fresh.dataset.seq) > Number(live().dataset.seq);
  const isBusy = isReaderBusy() || isFocusLost(page);
  if (isBusy && fresh) offer(fresh, isTurn);
  else if (isBusy) offer(live(), false);
  else replaceMain(page);
  replaceAround(page);
  if (isBusy || !fresh) version = fresh?.dataset.version ?? version;
  if (!isBusy) say([fresh && sentenceIn(fresh, isTurn), headline()].filter(Boolean).join(". "));
  if (fresh?.hasAttribute("data-own-turn") && !document.hasFocus()) document.title = `(!) ${document.title}`;
  if (!fresh) stop();
}

// A control that the fresh page lacks would take the focus with it.
function isFocusLost(page) {
  const focused = document.activeElement;
  if (!main().contains(focused) || focused === main()) return false;
  return !matchOf(focused, main(), page.getElementById("main"));
}

// ---- asking ----

const isFast = () => live().hasAttribute("data-fast") && polls < FAST_POLLS;

function stop() {
  stopped = true;
  clearTimeout(timer);
}

function askIn(milliseconds) {
  clearTimeout(timer);
  // Spread over time, so that browsers that were stopped together do not ask together.
  if (!stopped && !document.hidden) timer = setTimeout(ask, milliseconds * (0.85 + Math.random() * 0.3));
}

function restart() {
  wait = FIRST_WAIT;
  polls = 0;
  askIn(isFast() ? FAST_WAIT : wait);
}

function askLater() {
  if (isFast()) return askIn(FAST_WAIT);
  askIn(wait);
  wait = Math.min(wait * 1.3, LONGEST_WAIT);
}

async function ask() {
  polls += 1;
  try {
    const answer = await fetch(live().dataset.address, {
      headers: { "If-None-Match": `"${version}"` },
      cache: "no-store",
      redirect: "error",
    });
    if (GONE.includes(answer.status)) return stop();
    if (BUSY.includes(answer.status)) return askIn(Math.max((Number(answer.headers.get("Retry-After")) || 60) * 1000, wait));
    if (answer.status === 200) {
      await showNews();
      return restart();
    }
  } catch {
    // Offline, or the server is away: nothing alarming, only later.
    polls = FAST_POLLS;
  }
  askLater();
}

function resume() {
  if (stopped || document.hidden) return clearTimeout(timer);
  wait = FIRST_WAIT;
  polls = 0;
  askIn(100);
}

document.addEventListener("visibilitychange", resume);
addEventListener("online", resume);
addEventListener("pageshow", (event) => event.persisted && resume());
addEventListener("pagehide", () => clearTimeout(timer));
addEventListener("focus", () => (document.title = document.title.replace(/^\(!\) /, "")));

adapt(document);
restart();
