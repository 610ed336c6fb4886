// Steps through the turns of a history with the arrow keys, Home and End, as the links of its stepper do.
"use strict";

const STEP_BY_KEY = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };

document.addEventListener("keydown", (event) => {
  const step = STEP_BY_KEY[event.key];
  const isModified = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
  // A frame that scrolls sideways, and what can be typed into, need the keys themselves.
  if (!step || isModified || event.target.closest("input, select, textarea, [tabindex='0']")) return;
  const link = document.querySelector(`[data-step="${step}"]`);
  if (!link) return;
  event.preventDefault();
  link.click();
});
