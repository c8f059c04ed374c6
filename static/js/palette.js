// Ctrl-K, or typing in the box at the top: a dialog that finds ids, errors, names and pages while the user types, and
// the actions of the page that is open. Arrow keys choose, Enter opens. Without this script the box is a plain form.
import { forgetMissing, readRecent } from "./recent.js";
import { addKey } from "./keys.js";
import { listPageActions } from "./page_actions.js";

const dialog = document.getElementById("palette");
const box = document.getElementById("find-id");

const startPalette = () => {
  const input = dialog.querySelector("input");
  const results = document.getElementById("palette-results");
  const status = document.getElementById("palette-status");
  let answeredText = "";

  const listOptions = () => [...results.querySelectorAll("a[role=option]")];
  const findSelected = () => results.querySelector("[aria-selected=true]");

  const selectOption = (option) => {
    for (const other of listOptions()) other.setAttribute("aria-selected", String(other === option));
    if (option) {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      input.removeAttribute("aria-activedescendant");
    }
  };

  const showResults = (text) => {
    answeredText = text;
    const actions = listPageActions(text, () => dialog.close());
    if (actions) results.prepend(actions);
    const options = listOptions();
    input.setAttribute("aria-expanded", String(options.length > 0));
    const words = options.length === 1 ? "1 result" : `${options.length} results`;
    status.textContent = text ? words : "";
    selectOption(options[0] || null);
  };

  const openPalette = (text) => {
    if (!dialog.open) {
      for (const other of document.querySelectorAll("dialog[open]")) other.close();
      dialog.showModal();
    }
    if (text !== undefined) input.value = text;
    input.focus();
    if (text === undefined) input.select();
    input.dispatchEvent(new Event("hub:find"));
  };

  const moveSelection = (step) => {
    const options = listOptions();
    const place = options.indexOf(findSelected()) + step;
    if (options.length) selectOption(options[(place + options.length) % options.length]);
  };

  // Until the user types, the dialog has the actions of the page, and then pinned and recent objects.
  input.addEventListener("htmx:configRequest", ({ detail: { parameters } }) => {
    if (parameters.id) return;
    parameters.recent = readRecent().join(" ");
    results.replaceChildren();
    showResults("");
  });
  input.addEventListener("htmx:afterRequest", ({ detail: { successful, requestConfig, xhr } }) => {
    const text = requestConfig.formData.get("id");
    if (successful && !text) forgetMissing(listOptions().map((option) => option.getAttribute("href")));
    if (successful) showResults(text);
    else if (xhr.status === 401) status.textContent = "You are logged out.";
    else if (xhr.status === 0) status.textContent = "The server is not responding.";
  });

  input.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      event.preventDefault();
      moveSelection(steps[event.key]);
    }
    // Answers to an earlier text are ignored: then the form asks the server.
    if (event.key === "Enter" && findSelected() && answeredText === input.value) {
      event.preventDefault();
      findSelected().click();
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      openPalette();
    }
  });

  // The actions of selected rows are in the bar of the list.
  const openActions = () => {
    const button = document.querySelector("#selection:not([hidden]) button[name]:not([disabled])");
    if (button) button.focus();
    else openPalette("");
  };

  addKey({ key: ".", label: "Actions of this page, or of the selection", run: openActions });
  box.addEventListener("click", () => openPalette(box.value));
  box.addEventListener("input", () => {
    const text = box.value;
    box.value = "";
    openPalette(text);
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
};

if (dialog && box) startPalette();
