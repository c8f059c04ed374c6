// Asks the browser for a passkey, and sends its answer with the form of the page; or has it create a passkey.
// Bytes travel as base64url, because not all browsers convert them themselves.
const DONE_WORDS = {
  NotAllowedError: "No passkey was used. Try again, or use a code.",
  InvalidStateError: "This device already has a passkey for this console.",
  SecurityError: "Passkeys do not work at this address of the console.",
};
const FAILED_WORDS = "That did not work. Try again, or use a code.";
const WAITING_WORDS = "Continue in the window of your browser or device.";

const decodeBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
const encodeBytes = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const isSupported = () => globalThis.isSecureContext && "PublicKeyCredential" in globalThis;

const decodeIds = (list) => (list ?? []).map((one) => ({ ...one, id: decodeBytes(one.id) }));

const decodeOptions = (options) => ({
  ...options,
  challenge: decodeBytes(options.challenge),
  ...(options.user && { user: { ...options.user, id: decodeBytes(options.user.id) } }),
  allowCredentials: decodeIds(options.allowCredentials),
  excludeCredentials: decodeIds(options.excludeCredentials),
});

const PARTS = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];

const encodeAnswer = ({ id, rawId, type, response }) => {
  const parts = PARTS.filter((name) => response[name]).map((name) => [name, encodeBytes(response[name])]);
  return JSON.stringify({
    id,
    rawId: encodeBytes(rawId),
    type,
    response: Object.fromEntries(parts),
    clientExtensionResults: {},
  });
};

const fetchOptions = async (form, address) => {
  const body = new URLSearchParams({ csrfmiddlewaretoken: form.elements.csrfmiddlewaretoken.value });
  const response = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
};

// Sends the form with the answer instead of a code.
const sendAnswer = (form, answer) => {
  form.elements.passkey.value = encodeAnswer(answer);
  form.noValidate = true;
  form.requestSubmit();
};

const offerPasskey = (place, button, ask) => {
  const words = place.querySelector("[data-words]");
  words.textContent = "";
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    words.textContent = WAITING_WORDS;
    try {
      sendAnswer(button.form, await ask(button.form));
    } catch (error) {
      words.textContent = DONE_WORDS[error.name] ?? FAILED_WORDS;
      button.disabled = false;
      button.focus();
    }
  });
};

const askForPasskey = (address) => async (form) =>
  navigator.credentials.get({ publicKey: decodeOptions(await fetchOptions(form, address)) });

const createPasskey = (form) =>
  navigator.credentials.create({ publicKey: decodeOptions(JSON.parse(form.dataset.newPasskey)) });

if (isSupported()) {
  for (const place of document.querySelectorAll("[data-passkey]")) {
    offerPasskey(place, place.querySelector("[data-use-passkey]"), askForPasskey(place.dataset.passkey));
  }
  for (const form of document.querySelectorAll("[data-new-passkey]")) {
    offerPasskey(form, form.querySelector("[data-create-passkey]"), createPasskey);
  }
} else {
  for (const form of document.querySelectorAll("[data-needs-passkeys]")) form.hidden = true;
  for (const words of document.querySelectorAll("[data-no-passkeys]")) words.hidden = false;
}
