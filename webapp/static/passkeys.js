// Passkeys: fills the forms marked with data-passkey with what the browser signs. Without this file they stay hidden.
"use strict";

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");

// The options of the server have base64url where browsers want bytes.
function optionsOf(json) {
  const withBytes = (key) => ({ ...key, id: bytesOf(key.id) });
  const options = { ...json, challenge: bytesOf(json.challenge) };
  if (json.user) options.user = { ...json.user, id: bytesOf(json.user.id) };
  for (const list of ["allowCredentials", "excludeCredentials"]) {
    if (json[list]) options[list] = json[list].map(withBytes);
  }
  return options;
}

function jsonOf(credential) {
  const response = {};
  for (const part of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (credential.response[part]) response[part] = textOf(credential.response[part]);
  }
  return JSON.stringify({
    id: credential.id,
    rawId: textOf(credential.rawId),
    type: credential.type,
    clientExtensionResults: credential.getClientExtensionResults(),
    response,
  });
}

async function ask(form) {
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.dataset.options, { method: "POST", body });
  if (!answer.ok) throw new Error(answer.statusText);
  const publicKey = optionsOf(await answer.json());
  return form.dataset.passkey === "create"
    ? navigator.credentials.create({ publicKey })
    : navigator.credentials.get({ publicKey });
}

function prepare(form) {
  const failed = form.querySelector("[data-passkey-failed]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    failed.hidden = true;
    try {
      form.elements.credential.value = jsonOf(await ask(form));
    } catch {
      failed.hidden = false;
      return;
    }
    form.submit();
  });
  form.hidden = false;
}

if (window.PublicKeyCredential) {
  document.querySelectorAll("form[data-passkey]").forEach(prepare);
  document.querySelectorAll("[data-no-passkeys]").forEach((text) => (text.hidden = true));
}
