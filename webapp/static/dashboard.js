// The dashboard: updates health and games in place once in a while, so that ticked games stay ticked and the place is kept.
// Without this file the page reloads itself, and games can be ticked only after "Stop updating".
"use strict";

const slugOf = (box) => box.value.split(":")[0];
const boxesIn = (part) => [...part.querySelectorAll("input[name=game]")];

// What needs this script is hidden in the page, because without it a tick would be lost when the page reloads.
function show(part) {
  part.querySelectorAll("[data-scripted]").forEach((hidden) => (hidden.hidden = false));
}

function keepTicks(part, fresh) {
  const ticked = new Set(boxesIn(part).filter((box) => box.checked).map(slugOf));
  boxesIn(fresh).forEach((box) => (box.checked = ticked.has(slugOf(box))));
}

// Links and ticks are known by where they lead, because the fresh ones are other elements.
const nameOf = (element) => element.href || (element.name === "game" ? slugOf(element) : element.formAction);

function replace(part, fresh) {
  const focused = part.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  keepTicks(part, fresh);
  show(fresh);
  part.replaceWith(fresh);
  if (focused) [...fresh.querySelectorAll("a, button, input")].find((each) => nameOf(each) === focused)?.focus();
}

async function update() {
  if (document.hidden) return;
  const failed = document.querySelector("[data-update-failed]");
  try {
    const answer = await fetch(location.href, { redirect: "error" });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.querySelectorAll("[data-live]").forEach((part) => {
      const fresh = page.getElementById(part.id);
      if (fresh) replace(part, fresh);
    });
    failed.hidden = true;
  } catch {
    failed.hidden = false;
  }
}

const seconds = Number(document.currentScript.dataset.seconds);
show(document);
setInterval(update, seconds * 1000);
