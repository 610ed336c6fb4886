// Fills in the browser's time zone where a newcomer chooses a name. Without this file it is guessed from the language.
"use strict";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

for (const field of document.querySelectorAll("input[data-browser-zone]")) {
  field.value = zone || "";
}
for (const field of document.querySelectorAll("select[data-browser-zone]")) {
  // Some browsers still call zones by old names, such as Asia/Calcutta.
  const isOwn = (option) => option.value === zone || (option.dataset.oldNames || "").split(" ").includes(zone);
  const own = [...field.options].find(isOwn);
  if (own) {
    field.value = own.value;
  }
}
for (const sentence of document.querySelectorAll("[data-zone-sentence]")) {
  const field = document.querySelector("select[name=zone]");
  const show = () => {
    sentence.textContent = sentence.dataset.zoneSentence.replace("{place}", field.selectedOptions[0].text);
  };
  field.addEventListener("change", show);
  show();
}
