// A link with data-dialog opens the form of its page in the dialog of that id. Without this script, the link opens the
// page. The server answers with the form again if it refuses the input, otherwise with the address of the next page.
import { focusFault } from "./faults.js";

const FIELDS = "select, textarea, input:not([type=hidden])";
const REFUSALS = [400, 409];

// By dialog, the id of the link that opened it: the link itself may be replaced meanwhile.
const openerIds = new WeakMap();

const isFormAgain = ({ status, responseText }) => REFUSALS.includes(status) && responseText.includes("<form");

const isForm = (element) => element.matches("form");

const isOurs = (element) => element instanceof HTMLDialogElement && openerIds.has(element);

const fillDialog = (link) => {
  const dialog = document.getElementById(link.dataset.dialog);
  openerIds.set(dialog, link.id);
  globalThis.htmx.ajax("GET", link.href, { source: link, target: dialog, swap: "innerHTML" });
};

document.addEventListener("click", (event) => {
  if (isOurs(event.target)) event.target.close(); // on what is around it
  const link = event.target.closest("a[data-dialog]");
  if (!link || !globalThis.htmx || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  fillDialog(link);
});

document.addEventListener("htmx:beforeSwap", ({ target, detail }) => {
  const { elt } = detail.requestConfig;
  if (!isOurs(target)) return;
  if (isFormAgain(detail.xhr)) {
    detail.shouldSwap = true;
    detail.isError = false;
  } else if (isForm(elt) && detail.xhr.responseText.includes("data-detail")) {
    // The detail of the error's page replaces the general words.
    detail.target = elt.querySelector("[data-fault] [data-words]");
    detail.selectOverride = "[data-detail]";
    detail.shouldSwap = true;
  }
});

document.addEventListener("htmx:afterSwap", ({ detail: { target: dialog } }) => {
  if (!isOurs(dialog)) return;
  if (!dialog.open) dialog.showModal();
  if (!focusFault(dialog)) dialog.querySelector(FIELDS)?.focus();
});

// The form stays with its input, and says why; a link without an answer leads to its page.
document.addEventListener("htmx:afterRequest", ({ detail: { elt, target, xhr } }) => {
  const { status } = xhr;
  if (!isOurs(elt.closest("dialog") ?? target) || (status >= 200 && status < 300) || isFormAgain(xhr)) return;
  if (isForm(elt)) elt.querySelector("[data-fault]").hidden = false;
  else location.assign(elt.href);
});

document.addEventListener("close", ({ target: dialog }) => {
  if (!isOurs(dialog)) return;
  dialog.replaceChildren();
  document.getElementById(openerIds.get(dialog))?.focus();
}, { capture: true });
