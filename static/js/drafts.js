// Keeps the input of a form until it is sent, so that it is restored after a login in between,
// or after Back. It is kept only in this tab, encrypted with a key that the server gives only to pages of the same
// user: another person who logs in here cannot read it. Passwords and codes are not kept. Nothing is sent
// automatically.
const PREFIX = "draft:";
const LONGEST_MS = 12 * 3600 * 1000; // as long as a session may last
const WAIT_MS = 150;
const NEVER = new Set(["hidden", "password", "file", "submit", "button", "image", "reset"]);
const SECRET = /one-time-code|current-password|new-password/;

const keyText = document.querySelector("meta[name=draft-key]")?.content;
const answersPost = document.body.hasAttribute("data-answers-post");
const pageName = () => PREFIX + location.pathname + location.search;

// Reading the storage throws if the browser keeps nothing for this site.
const stored = (name) => {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
};
const store = (name, entry) => {
  try {
    sessionStorage.setItem(name, JSON.stringify(entry));
  } catch {
    // Full, or not allowed: nothing is kept.
  }
};
const names = () => {
  try {
    return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX));
  } catch {
    return [];
  }
};
const forget = (name) => sessionStorage.removeItem(name);
const change = (name, changes) => {
  const entry = stored(name);
  if (entry) store(name, { ...entry, ...changes });
};

const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));
const key = () =>
  crypto.subtle.importKey(
    "raw",
    Uint8Array.from(keyText.match(/../g), (pair) => parseInt(pair, 16)),
    "AES-GCM",
    false,
    ["encrypt", "decrypt"],
  );

const sealed = async (value) => {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const plain = new TextEncoder().encode(JSON.stringify(value));
  const parts = [];
  const data = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await key(), plain));
  for (let at = 0; at < data.length; at += 8192) parts.push(String.fromCharCode(...data.subarray(at, at + 8192)));
  return { iv: text(iv), data: btoa(parts.join("")) };
};

const opened = async ({ iv, data }) => {
  const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes(iv) }, await key(), bytes(data));
  return JSON.parse(new TextDecoder().decode(plain));
};

const isKept = (field) =>
  field.name && !NEVER.has(field.type) && !SECRET.test(field.autocomplete) && !field.closest("[data-not-kept]");
const fieldsOf = (form) =>
  [...form.elements].filter((field) => field.matches("input, select, textarea") && isKept(field));
const isChoice = (field) => field.type === "checkbox" || field.type === "radio";
const isTyped = (field) => {
  if (isChoice(field)) return field.checked !== field.defaultChecked;
  if (field.matches("select")) return [...field.options].some((one) => one.selected !== one.defaultSelected);
  return field.value !== field.defaultValue;
};
const valueOf = (field) => {
  if (isChoice(field)) return field.checked;
  return field.matches("select[multiple]") ? [...field.selectedOptions].map((one) => one.value) : field.value;
};

const forms = () => [...document.querySelectorAll("form[method=post]:not([data-not-kept])")];
// Forms and fields are identified by their names, and by their positions among those of the same name.
const placed = (all, nameOf) => {
  const counts = new Map();
  return all.map((one) => {
    const name = nameOf(one);
    counts.set(name, (counts.get(name) ?? -1) + 1);
    return { one, id: `${name}#${counts.get(name)}` };
  });
};
const allForms = () => placed(forms(), (form) => form.getAttribute("action") || location.pathname);
const allFields = (form) => placed(fieldsOf(form), (field) => field.name + (isChoice(field) ? `=${field.value}` : ""));

const typed = () => {
  const found = {};
  for (const { one: form, id } of allForms()) {
    const fields = allFields(form).filter(({ one }) =>
      one.dataset.restored !== undefined || answersPost || isTyped(one)
    );
    if (fields.length) found[id] = Object.fromEntries(fields.map((field) => [field.id, valueOf(field.one)]));
  }
  return found;
};

const save = async (state) => {
  const name = pageName();
  const found = typed();
  if (!Object.keys(found).length) return;
  const kept = await sealed(found);
  store(name, { ...kept, at: Date.now(), state });
};

const fill = (field, value) => {
  if (isChoice(field)) field.checked = value;
  else if (Array.isArray(value)) { for (const one of field.options) one.selected = value.includes(one.value); }
  else field.value = value;
  field.dataset.restored = "";
  const closed = field.closest("details:not([open])");
  if (closed) closed.open = true;
};

const tell = (first) => {
  const note = document.createElement("div");
  note.className = "note note-info draft-note";
  note.setAttribute("role", "status");
  document.getElementById("content").prepend(note);
  note.textContent = "Your input was restored. Nothing was sent.";
  first.focus();
};

// Fills the fields that the page has, and returns the first one.
const restore = (found) => {
  let first = null;
  for (const { one: form, id } of allForms()) {
    for (const { one: field, id: name } of allFields(form)) {
      if (found[id]?.[name] === undefined) continue;
      fill(field, found[id][name]);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      first = first || field;
    }
  }
  return first;
};

const isBack = () => performance.getEntriesByType("navigation")[0]?.type === "back_forward";

// On a page of a logged-in user, input sent before it has arrived, unless the page refuses it.
const arrive = async () => {
  const wanted = stored(pageName());
  for (const name of names()) {
    const entry = stored(name);
    if (!entry || Date.now() - entry.at > LONGEST_MS) forget(name);
    else if (entry.state === "sent" && !answersPost) forget(name);
    else await opened(entry).catch(() => forget(name)); // another user's
  }
  if (!wanted || !stored(pageName())) return;
  if (wanted.state !== "interrupted" && !isBack()) return;
  const first = restore(await opened(wanted));
  if (!first) return;
  change(pageName(), { state: "typed" });
  tell(first);
};

const start = () => {
  let waiting = 0;
  const saveSoon = (event) => {
    if (!event.target.closest?.("form[method=post]")) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => save("typed"), WAIT_MS);
  };
  document.addEventListener("input", saveSoon);
  document.addEventListener("change", saveSoon);
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented || !event.target.matches("form[method=post]")) return;
    clearTimeout(waiting);
    if (event.target.matches("[data-log-out]")) {
      names().forEach(forget);
    } else {
      change(pageName(), { state: "sent" });
      save("sent");
    }
  });
  arrive();
};

// Before the login, nothing that was typed or sent has arrived.
const interrupt = () => {
  names().forEach((name) => change(name, { state: "interrupted" }));
  const note = document.querySelector("[data-draft-note]");
  if (note && names().length) note.hidden = false;
};

if (!keyText) interrupt();
else if (window.crypto?.subtle) start();
