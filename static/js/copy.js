// Copies a text: data-copy is the text itself, data-copy-from the selector of its element, data-copy-link
// copies this page's address. Works on plain http too, where browsers offer no clipboard to scripts.
const TOLD_MS = 1600;

const readText = (button) => {
  if (button.hasAttribute("data-copy-link")) return location.href;
  const selector = button.dataset.copyFrom;
  if (!selector) return button.dataset.copy;
  const source = document.querySelector(selector);
  return source ? source.value ?? source.textContent : "";
};

// The field must be where focus is allowed: next to the button, possibly in an open dialog.
const copyBySelection = (text, button) => {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "u-visually-hidden";
  field.setAttribute("readonly", "");
  field.setAttribute("aria-hidden", "true");
  button.after(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  button.focus();
  return isCopied;
};

const copyText = async (text, button) => {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not allowed here: the older way may work.
    }
  }
  return copyBySelection(text, button);
};

const findStatus = () => {
  let element = document.getElementById("copy-status");
  if (!element) {
    element = document.createElement("div");
    element.id = "copy-status";
    element.className = "u-visually-hidden";
    element.setAttribute("role", "status");
    document.body.append(element);
  }
  return element;
};

const showOutcome = (button, isCopied) => {
  findStatus().textContent = isCopied ? "Copied" : "Copy failed. Select the text and copy it manually";
  button.classList.add(isCopied ? "is-copied" : "is-not-copied");
  setTimeout(() => {
    button.classList.remove("is-copied", "is-not-copied");
    findStatus().textContent = "";
  }, TOLD_MS);
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-from], [data-copy-link]");
  if (!button) return;
  event.preventDefault();
  showOutcome(button, await copyText(readText(button), button));
});
