// The message list: a click anywhere on a row opens its message, keys move between rows.
import "./histogram.js";
import "./live.js";
import "./preview.js";
import "./query_line.js";
import "./search.js";
import "./selection.js";
import { addKey } from "./keys.js";

const listRows = () => [...document.querySelectorAll("[data-row]")];
const findLink = (row) => row.querySelector(".c-rows-link");
const findBox = (row) => row.querySelector("input[type=checkbox]");
const findPlace = () => listRows().findIndex((row) => row.contains(document.activeElement));

document.addEventListener("click", (event) => {
  const row = event.target.closest("[data-row]");
  if (!row || event.target.closest("a, input, button, label, .c-rows-select")) return;
  // A user who selects text to copy it does not want to leave the page.
  if (!window.getSelection().isCollapsed) return;
  const link = findLink(row);
  if (!link) return;
  if (event.ctrlKey || event.metaKey) window.open(link.href);
  else window.location.assign(link.href);
});

// The name of an icon is its title.
document.addEventListener("mouseover", (event) => {
  const link = event.target.closest("[data-row] a[aria-label]");
  if (link) link.title = link.getAttribute("aria-label");
});

const moveFocus = (step) => {
  const rows = listRows();
  if (rows.length === 0) return;
  const next = findPlace() < 0 ? (step > 0 ? 0 : rows.length - 1) : findPlace() + step;
  const row = rows[Math.min(Math.max(next, 0), rows.length - 1)];
  (findLink(row) || findBox(row)).focus();
  row.scrollIntoView({ block: "nearest" });
};

const selectRow = () => {
  const row = listRows()[findPlace()];
  if (row) findBox(row).click();
};

addKey({ key: "j", label: "Next message in the list; Enter opens it", run: () => moveFocus(1) });
addKey({ key: "k", label: "Previous message in the list", run: () => moveFocus(-1) });
addKey({ key: "x", label: "Select message", run: selectRow });
