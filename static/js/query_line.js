// The query line of the list: suggestions while the user types (a combobox), and chips that lead to their terms.
const prepareLine = () => {
  const input = document.querySelector("[data-suggest]");
  const list = document.getElementById("line-options");
  if (!input || !list) return;

  const WAIT_MS = 60;
  let found = { start: 0, end: 0, options: [] };
  let answered = ""; // the line that the suggestions are for
  let active = -1;
  let pressed = ""; // "move" or "take": what was pressed before the suggestions for it were there
  let waiting = 0;
  let asking = null;

  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", list.id);
  input.setAttribute("aria-expanded", "false");

  // The server counts characters, the browser counts UTF-16 units, and rare characters have two.
  const toCharacters = (units) => [...input.value.slice(0, units)].length;
  const toUnits = (characters) => [...input.value].slice(0, characters).join("").length;

  const close = () => {
    pressed = "";
    window.clearTimeout(waiting);
    if (asking) asking.abort();
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const point = (index) => {
    active = index;
    [...list.children].forEach((item, n) => item.setAttribute("aria-selected", String(n === index)));
    if (index < 0) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    input.setAttribute("aria-activedescendant", list.children[index].id);
    list.children[index].scrollIntoView({ block: "nearest" });
  };

  const item = (option, index) => {
    const line = document.createElement("li");
    const text = document.createElement("code");
    const meaning = document.createElement("span");
    line.id = `line-option-${index}`;
    line.setAttribute("role", "option");
    line.setAttribute("aria-selected", "false");
    text.textContent = option.text;
    meaning.className = "soft";
    meaning.textContent = option.meaning;
    line.append(text, meaning);
    return line;
  };

  const show = (answer, line) => {
    found = answer;
    answered = line;
    const early = pressed;
    pressed = "";
    list.replaceChildren(...answer.options.map(item));
    if (answer.options.length === 0) {
      close();
      return;
    }
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    point(early ? 0 : -1);
    if (early === "take") take(0);
  };

  const ask = async () => {
    if (asking) asking.abort();
    asking = new AbortController();
    const line = input.value;
    const query = new URLSearchParams({ q: line, at: toCharacters(input.selectionStart) });
    try {
      const answer = await fetch(`${input.dataset.suggest}?${query}`, { signal: asking.signal });
      if (answer.ok && document.activeElement === input) show(await answer.json(), line);
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  };

  const askSoon = () => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(ask, WAIT_MS);
  };

  function take(index) {
    const option = found.options[index];
    const before = input.value.slice(0, toUnits(found.start));
    const after = input.value.slice(toUnits(found.end)).replace(/^ /, option.insert.endsWith(" ") ? "" : " ");
    input.value = before + option.insert + after;
    const caret = before.length + option.insert.length;
    input.setSelectionRange(caret, caret);
    close();
    if (option.insert.endsWith(":")) askSoon();
  }

  const move = (step) => {
    if (list.hidden || answered !== input.value) {
      pressed = "move";
      ask();
      return;
    }
    const count = list.children.length;
    point((active + step + count + (active < 0 && step < 0 ? 1 : 0)) % count);
  };

  input.addEventListener("input", () => {
    pressed = "";
    point(-1);
    askSoon();
  });
  input.addEventListener("focus", () => input.value === "" && askSoon());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if ((event.key === "Enter" || event.key === "Tab") && active >= 0) {
      event.preventDefault();
      take(active);
    } else if (event.key === "Enter" && pressed) {
      event.preventDefault();
      pressed = "take";
    } else if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) {
      close();
    }
  });

  // Runs before the line loses focus, which would close the list.
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const chosen = event.target.closest("li");
    if (chosen) take([...list.children].indexOf(chosen));
  });

  document.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-edit-from]");
    if (!chip) return;
    event.preventDefault();
    input.focus();
    input.setSelectionRange(toUnits(Number(chip.dataset.editFrom)), toUnits(Number(chip.dataset.editTo)));
  });
};

prepareLine();
