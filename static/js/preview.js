// Space shows the message of the focused row next to the list. The preview follows the focus until Esc hides it.
import { addKey } from "./keys.js";

const panel = document.querySelector("[data-preview]");

// As in preview.css.
const hasRoom = () => matchMedia("(min-width: 1101px)").matches;
const findRow = (element) => element.closest?.("[data-row]");
const findLink = (row) => row.querySelector(".c-rows-link");

const loadStyle = (address) =>
  new Promise((settle) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = address;
    link.onload = link.onerror = settle;
    document.head.append(link);
  });

// The script and the styles of stored texts, which a list without a preview does not need.
let parts;
const loadParts = () => {
  parts ??= Promise.all([import("./content.js"), ...panel.dataset.styles.split(" ").map(loadStyle)]);
  return parts;
};

const showRow = async (row) => {
  const address = `${findLink(row).pathname}preview/`;
  if (panel.dataset.address === address) return;
  panel.dataset.address = address;
  panel.hidden = false;
  await loadParts();
  if (panel.dataset.address !== address) return;
  globalThis.htmx.ajax("GET", address, { target: "#preview-body", swap: "innerHTML", source: "#preview-body" });
};

const hidePanel = () => {
  panel.hidden = true;
  delete panel.dataset.address;
  document.getElementById("preview-body").replaceChildren();
};

const turnPanel = (row) => {
  if (panel.dataset.address === `${findLink(row).pathname}preview/`) hidePanel();
  else showRow(row);
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const row = findRow(event.target);
  if (event.key === " " && panel && row && event.target === findLink(row) && hasRoom()) {
    event.preventDefault();
    turnPanel(row);
  }
  if (event.key === "Escape" && panel && !panel.hidden && !document.querySelector("dialog[open]")) {
    event.preventDefault();
    if (panel.contains(document.activeElement)) document.querySelector("[data-row] .c-rows-link")?.focus();
    hidePanel();
  }
});

document.addEventListener("focusin", (event) => {
  const row = findRow(event.target);
  if (row && panel && !panel.hidden) showRow(row);
});

panel?.querySelector("[data-preview-close]").addEventListener("click", hidePanel);

addKey({ key: "Space", label: "Show the message next to the list", run: () => {} });
