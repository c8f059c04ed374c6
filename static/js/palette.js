// Ctrl-K, or typing in the box at the top: a dialog that finds any id, live or archived, while the user types.
// Arrow keys choose, Enter opens. Without this script the box is a plain form.
import { checkConnection } from "./connection.js";

const preparePalette = () => {
  const DELAY_MS = 150;
  const dialog = document.getElementById("palette");
  const box = document.getElementById("find-id");
  if (!dialog || !box) return;
  const input = dialog.querySelector("input");
  const results = document.getElementById("palette-results");
  const said = document.getElementById("palette-said");
  let timer = 0;
  let asking = null;
  let shown = "";

  const options = () => [...results.querySelectorAll("a[role=option]")];
  const chosen = () => results.querySelector("[aria-selected=true]");

  const choose = (option) => {
    for (const one of options()) one.setAttribute("aria-selected", String(one === option));
    if (option) {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      input.removeAttribute("aria-activedescendant");
    }
  };

  const show = (html, text) => {
    results.innerHTML = html;
    shown = text;
    const found = options();
    input.setAttribute("aria-expanded", String(found.length > 0));
    const words = found.length === 1 ? "1 result" : `${found.length} results`;
    said.textContent = text ? words : "";
    choose(found[0] || null);
  };

  const ask = async () => {
    const text = input.value;
    if (asking) asking.abort();
    if (!text) {
      show("", "");
      return;
    }
    asking = new AbortController();
    try {
      const address = `${dialog.dataset.address}?${new URLSearchParams({ id: text })}`;
      const response = await fetch(address, { headers: { "HX-Request": "true" }, signal: asking.signal });
      if (response.status === 401) {
        said.textContent = "You are logged out.";
        checkConnection();
        return;
      }
      show(await response.text(), text);
    } catch (error) {
      if (error.name === "AbortError") return;
      said.textContent = "The server is not responding.";
      checkConnection();
    }
  };

  const open = (text) => {
    if (!dialog.open) {
      for (const other of document.querySelectorAll("dialog[open]")) other.close();
      dialog.showModal();
    }
    if (text !== undefined) input.value = text;
    input.focus();
    if (text === undefined) input.select();
    ask();
  };

  const step = (by) => {
    const found = options();
    if (found.length) choose(found[(found.indexOf(chosen()) + by + found.length) % found.length]);
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, DELAY_MS);
  });

  input.addEventListener("keydown", (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) {
      event.preventDefault();
      step(moves[event.key]);
    }
    // Answers to an earlier text are ignored: then the form asks the server.
    if (event.key === "Enter" && chosen() && shown === input.value) {
      event.preventDefault();
      chosen().click();
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      open();
    }
  });

  box.addEventListener("click", () => open(box.value));
  box.addEventListener("input", () => {
    const text = box.value;
    box.value = "";
    open(text);
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
};

preparePalette();
