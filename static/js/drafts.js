// Keeps the input of a form until it is sent, so that it is restored after a login in between,
// or after Back. It is kept only in this tab, encrypted with a key that the server gives only to pages of the same
// user: another person who logs in here cannot read it. Passwords and codes are not kept. Nothing is sent
// automatically.
const PREFIX = "draft:";
const MAX_AGE_MS = 12 * 3600 * 1000; // as long as a session may last
const WAIT_MS = 150;
const NEVER = new Set(["hidden", "password", "file", "submit", "button", "image", "reset"]);
const SECRET = /one-time-code|current-password|new-password/;

const keyText = document.querySelector("meta[name=draft-key]")?.content;
const answersPost = document.body.hasAttribute("data-answers-post");
const readPageName = () => PREFIX + location.pathname + location.search;

// Reading the storage throws if the browser keeps nothing for this site.
const readEntry = (name) => {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
};
const writeEntry = (name, entry) => {
  try {
    sessionStorage.setItem(name, JSON.stringify(entry));
  } catch {
    // Full, or not allowed: nothing is kept.
  }
};
const listNames = () => {
  try {
    return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX));
  } catch {
    return [];
  }
};
const removeEntry = (name) => sessionStorage.removeItem(name);
const changeEntry = (name, changes) => {
  const entry = readEntry(name);
  if (entry) writeEntry(name, { ...entry, ...changes });
};

const decodeBytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
const encodeText = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));
const importKey = () =>
  crypto.subtle.importKey(
    "raw",
    Uint8Array.from(keyText.match(/../g), (pair) => parseInt(pair, 16)),
    "AES-GCM",
    false,
    ["encrypt", "decrypt"],
  );

const encryptValue = async (value) => {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const plain = new TextEncoder().encode(JSON.stringify(value));
  const parts = [];
  const data = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await importKey(), plain));
  for (let at = 0; at < data.length; at += 8192) parts.push(String.fromCharCode(...data.subarray(at, at + 8192)));
  return { iv: encodeText(iv), data: btoa(parts.join("")) };
};

const decryptValue = async ({ iv, data }) => {
  const plain = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv: decodeBytes(iv) },
    await importKey(),
    decodeBytes(data),
  );
  return JSON.parse(new TextDecoder().decode(plain));
};

const isKept = (field) =>
  field.name && !NEVER.has(field.type) && !SECRET.test(field.autocomplete) && !field.closest("[data-not-kept]");
const listFields = (form) =>
  [...form.elements].filter((field) => field.matches("input, select, textarea") && isKept(field));
const isChoice = (field) => field.type === "checkbox" || field.type === "radio";
const isTyped = (field) => {
  if (isChoice(field)) return field.checked !== field.defaultChecked;
  if (field.matches("select")) return [...field.options].some((one) => one.selected !== one.defaultSelected);
  return field.value !== field.defaultValue;
};
const readValue = (field) => {
  if (isChoice(field)) return field.checked;
  return field.matches("select[multiple]") ? [...field.selectedOptions].map((one) => one.value) : field.value;
};

const listForms = () => [...document.querySelectorAll("form[method=post]:not([data-not-kept])")];
// Forms and fields are identified by their names, and by their positions among those of the same name.
const numberItems = (all, nameOf) => {
  const counts = new Map();
  return all.map((one) => {
    const name = nameOf(one);
    counts.set(name, (counts.get(name) ?? -1) + 1);
    return { one, id: `${name}#${counts.get(name)}` };
  });
};
const numberForms = () => numberItems(listForms(), (form) => form.getAttribute("action") || location.pathname);
const numberFields = (form) =>
  numberItems(listFields(form), (field) => field.name + (isChoice(field) ? `=${field.value}` : ""));

const collectInput = () => {
  const input = {};
  for (const { one: form, id } of numberForms()) {
    const fields = numberFields(form).filter(({ one }) =>
      one.dataset.restored !== undefined || answersPost || one.closest("[data-typed]") || isTyped(one)
    );
    if (fields.length) input[id] = Object.fromEntries(fields.map((field) => [field.id, readValue(field.one)]));
  }
  return input;
};

const saveInput = async (state) => {
  const name = readPageName();
  const input = collectInput();
  if (!Object.keys(input).length) return;
  const draft = await encryptValue(input);
  writeEntry(name, { ...draft, at: Date.now(), state });
};

const fillField = (field, value) => {
  if (isChoice(field)) field.checked = value;
  else if (Array.isArray(value)) { for (const one of field.options) one.selected = value.includes(one.value); }
  else field.value = value;
  field.dataset.restored = "";
  const details = field.closest("details:not([open])");
  if (details) details.open = true;
};

const showNote = (first) => {
  const note = document.createElement("div");
  note.className = "c-note is-info c-draft-note";
  note.setAttribute("role", "status");
  document.getElementById("content").prepend(note);
  note.textContent = "Your input was restored. Nothing was sent.";
  first.focus();
};

// Fills the fields that the page has, and returns the first one.
const restoreInput = (input) => {
  let first = null;
  for (const { one: form, id } of numberForms()) {
    for (const { one: field, id: name } of numberFields(form)) {
      if (input[id]?.[name] === undefined) continue;
      fillField(field, input[id][name]);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      first = first || field;
    }
  }
  return first;
};

const isBack = () => performance.getEntriesByType("navigation")[0]?.type === "back_forward";

// A form may arrive later, as a part of the page.
const restoreEntry = async (entry) => {
  if (readEntry(readPageName())?.at !== entry.at) return; // removed, or newer
  const first = restoreInput(await decryptValue(entry));
  if (first) {
    changeEntry(readPageName(), { state: "typed" });
    showNote(first);
  } else {
    document.addEventListener("htmx:afterSettle", () => restoreEntry(entry), { once: true });
  }
};

// On a page of a logged-in user, input sent before it has arrived, unless the page refuses it.
const restoreDraft = async () => {
  const pageEntry = readEntry(readPageName());
  for (const name of listNames()) {
    const entry = readEntry(name);
    if (!entry || Date.now() - entry.at > MAX_AGE_MS) removeEntry(name);
    else if (entry.state === "sent" && !answersPost) removeEntry(name);
    else await decryptValue(entry).catch(() => removeEntry(name)); // another user's
  }
  if (!pageEntry) return;
  if (pageEntry.state === "interrupted" || isBack()) await restoreEntry(pageEntry);
};

// The page of an error that refused a form as a whole: its input is restored on the page of the form.
const keepRefused = () => {
  const note = document.querySelector("[data-refused]");
  if (!note || !readEntry(readPageName())) return;
  changeEntry(readPageName(), { state: "interrupted" });
  note.hidden = false;
};

const startDrafts = () => {
  let timer = 0;
  keepRefused();
  const saveInputSoon = (event) => {
    if (!event.target.closest?.("form[method=post]")) return;
    clearTimeout(timer);
    timer = setTimeout(() => saveInput("typed"), WAIT_MS);
  };
  document.addEventListener("input", saveInputSoon);
  document.addEventListener("change", saveInputSoon);
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented || !event.target.matches("form[method=post]")) return;
    clearTimeout(timer);
    if (event.target.matches("[data-log-out]")) {
      listNames().forEach(removeEntry);
    } else {
      changeEntry(readPageName(), { state: "sent" });
      saveInput("sent");
    }
  });
  restoreDraft();
};

// Before the login, nothing that was typed or sent has arrived.
const interruptDrafts = () => {
  listNames().forEach((name) => changeEntry(name, { state: "interrupted" }));
  const note = document.querySelector("[data-draft-note]");
  if (note && listNames().length) note.hidden = false;
};

if (!keyText) interruptDrafts();
else if (window.crypto?.subtle) startDrafts();
