// The message list: a click anywhere on a row opens its message, keys move between rows, menus close automatically.
import "./histogram.js";
import "./live.js";
import "./query_line.js";
import "./search.js";
import "./selection.js";
import { addKey } from "./keys.js";

const rows = () => [...document.querySelectorAll("[data-row]")];
const linkOf = (row) => row.querySelector(".message-link");
const boxOf = (row) => row.querySelector("input[type=checkbox]");
const here = () => rows().findIndex((row) => row.contains(document.activeElement));

document.addEventListener("click", (event) => {
  const row = event.target.closest("[data-row]");
  if (!row || event.target.closest("a, input, button, label, .c-select")) return;
  // A user who selects text to copy it does not want to leave the page.
  if (!window.getSelection().isCollapsed) return;
  const link = linkOf(row);
  if (!link) return;
  if (event.ctrlKey || event.metaKey) window.open(link.href);
  else window.location.assign(link.href);
});

// A text that is too long for its column is shown completely as its title, and so is the name of an icon.
document.addEventListener("mouseover", (event) => {
  const text = event.target.closest("[data-row] .clip");
  if (text && !text.title && text.scrollWidth > text.clientWidth) text.title = text.textContent.trim();
  const link = event.target.closest("[data-row] a[aria-label]");
  if (link) link.title = link.getAttribute("aria-label");
});

const walk = (step) => {
  const all = rows();
  if (all.length === 0) return;
  const next = here() < 0 ? (step > 0 ? 0 : all.length - 1) : here() + step;
  const row = all[Math.min(Math.max(next, 0), all.length - 1)];
  (linkOf(row) || boxOf(row)).focus();
  row.scrollIntoView({ block: "nearest" });
};

const select = () => {
  const row = rows()[here()];
  if (row) boxOf(row).click();
};

addKey({ key: "j", label: "Next message in the list; Enter opens it", run: () => walk(1) });
addKey({ key: "k", label: "Previous message in the list", run: () => walk(-1) });
addKey({ key: "x", label: "Select message", run: select });

const openMenus = () => [...document.querySelectorAll("details.menu[open]")];

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
