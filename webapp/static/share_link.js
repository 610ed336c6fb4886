// Offers to copy or share the link in a field. Without this file the link is selected and copied by hand.
"use strict";

for (const buttons of document.querySelectorAll("[data-link-field]")) {
  const field = document.getElementById(buttons.dataset.linkField);
  const [copy, share] = buttons.querySelectorAll("button");
  const answer = buttons.querySelector("[role=status]");
  copy.hidden = !navigator.clipboard;
  share.hidden = !navigator.share;
  buttons.hidden = copy.hidden && share.hidden;
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      answer.textContent = answer.dataset.copied;
    } catch {
      // The browser does not allow it: what is selected can be copied by hand.
      field.select();
    }
  });
  // Closing the menu without sharing is no error.
  share.addEventListener("click", () => navigator.share({ url: field.value }).catch(() => {}));
}
