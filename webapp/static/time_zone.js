// Fills in the browser's time zone where a newcomer chooses a name. Without this file it is guessed from the language.
"use strict";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const field of document.querySelectorAll("[data-browser-zone]")) {
  if (zone && (field.type === "hidden" || [...field.options].some((option) => option.value === zone))) {
    field.value = zone;
  }
}
