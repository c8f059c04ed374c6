// The query line of the list: suggestions while the user types (a combobox).
const input = document.querySelector("[data-suggest]");
const list = document.getElementById("line-options");

const startSuggestions = () => {
  let answeredLine = ""; // that the suggestions are for
  let place = -1; // of the active suggestion
  let pressed = ""; // "move" or "take": what was pressed before the suggestions for it were there
  let isWanted = false;

  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", list.id);
  input.setAttribute("aria-expanded", "false");

  // The server counts characters, the browser counts UTF-16 units, and rare characters have two.
  const toCharacters = (units) => [...input.value.slice(0, units)].length;
  const toUnits = (characters) => [...input.value].slice(0, characters).join("").length;

  const closeList = () => {
    pressed = "";
    isWanted = false;
    list.hidden = true;
    place = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const markOption = (next) => {
    place = next;
    [...list.children].forEach((item, n) => item.setAttribute("aria-selected", String(n === place)));
    if (place < 0) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    input.setAttribute("aria-activedescendant", list.children[place].id);
    list.children[place].scrollIntoView({ block: "nearest" });
  };

  const requestOptions = () => {
    isWanted = true;
    input.dispatchEvent(new Event("hub:suggest"));
  };

  const takeOption = (option) => {
    const { start, end, insert } = option.dataset;
    const before = input.value.slice(0, toUnits(Number(start)));
    const after = input.value.slice(toUnits(Number(end))).replace(/^ /, insert.endsWith(" ") ? "" : " ");
    input.value = before + insert + after;
    const caret = before.length + insert.length;
    input.setSelectionRange(caret, caret);
    closeList();
    if (insert.endsWith(":")) requestOptions();
  };

  const showOptions = () => {
    const early = pressed;
    pressed = "";
    if (list.children.length === 0) {
      closeList();
      return;
    }
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    markOption(early ? 0 : -1);
    if (early === "take") takeOption(list.children[0]);
  };

  const moveMark = (step) => {
    if (list.hidden || answeredLine !== input.value) {
      pressed = "move";
      requestOptions();
      return;
    }
    const count = list.children.length;
    markOption((place + step + count + (place < 0 && step < 0 ? 1 : 0)) % count);
  };

  input.addEventListener("htmx:configRequest", ({ detail: { parameters } }) => {
    parameters.at = toCharacters(input.selectionStart);
  });
  input.addEventListener("htmx:beforeRequest", (event) => isWanted || event.preventDefault());
  // An answer to an earlier line is followed by that to the current one.
  const isExpected = (line) => isWanted && document.activeElement === input && line === input.value;
  list.addEventListener("htmx:beforeSwap", ({ detail }) => {
    detail.shouldSwap &&= isExpected(detail.requestConfig.formData.get("q"));
  });
  input.addEventListener("htmx:afterRequest", ({ detail }) => {
    const line = detail.requestConfig.formData.get("q");
    if (!detail.successful) return closeList();
    if (!isExpected(line)) return;
    answeredLine = line;
    showOptions();
  });

  input.addEventListener("input", () => {
    pressed = "";
    isWanted = true;
    markOption(-1);
  });
  input.addEventListener("focus", () => input.value === "" && requestOptions());
  input.addEventListener("blur", closeList);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      moveMark(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      closeList();
    } else if ((event.key === "Enter" || event.key === "Tab") && place >= 0) {
      event.preventDefault();
      takeOption(list.children[place]);
    } else if (event.key === "Enter" && pressed) {
      event.preventDefault();
      pressed = "take";
    } else if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) {
      closeList();
    }
  });

  // Runs before the line loses focus, which would close the list.
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = event.target.closest("li");
    if (option) takeOption(option);
  });
};

if (input && list) startSuggestions();
