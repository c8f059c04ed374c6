// Keeps the selected messages across the pages of one list, and shows the actions that all of them allow. Without this
// script the check boxes of one page belong to the same form.
const startSelection = () => {
  const form = document.getElementById("selection");
  if (!form) return;
  const words = form.querySelector("[data-selection-words]");
  const reasonLine = form.querySelector("[data-selection-reason]");
  const clearButton = form.querySelector("[data-selection-clear]");
  const limit = Number(form.dataset.most);

  const address = new URLSearchParams(location.search);
  const page = address.get("cursor") || "first";
  ["cursor", "at", "ordering", "page_size"].forEach((name) => address.delete(name));
  address.sort();
  const key = `selection:${address}`;

  const loadSelection = () => {
    try {
      return new Map(JSON.parse(sessionStorage.getItem(key)) || []);
    } catch {
      return new Map();
    }
  };
  const selection = loadSelection(); // id: {state, archived, page}
  const saveSelection = () => {
    if (selection.size) sessionStorage.setItem(key, JSON.stringify([...selection]));
    else sessionStorage.removeItem(key);
  };

  const listBoxes = () => [...document.querySelectorAll('input[type=checkbox][name="msg_id"]')];
  const findAllBox = () => document.querySelector("[data-select-all]");

  const findReason = (button) => {
    const buttonLimit = Number(button.dataset.most || limit);
    if (selection.size > buttonLimit) return `at most ${buttonLimit} at a time`;
    if ("ofArchive" in button.dataset) {
      const liveCount = [...selection.values()].filter((one) => !one.archived).length;
      return liveCount ? `${liveCount} not archived` : "";
    }
    if (!button.dataset.states) return "";
    const states = new Set(button.dataset.states.split(" "));
    const counts = new Map();
    for (const one of selection.values()) {
      if (one.archived) counts.set("archived", (counts.get("archived") || 0) + 1);
      else if (!states.has(one.state)) counts.set(one.state, (counts.get(one.state) || 0) + 1);
    }
    return [...counts].map(([state, count]) => `${count} ${state}`).join(", ");
  };

  const showButtons = () => {
    const reasons = [];
    for (const button of form.querySelectorAll("button[name]")) {
      const reason = findReason(button);
      button.disabled = reason !== "";
      button.title = reason && `Not possible: ${reason}`;
      if (reason) reasons.push(`${button.textContent.trim()} is not possible: ${reason}.`);
    }
    reasonLine.textContent = reasons.join(" ");
  };

  const showCount = () => {
    const pages = new Set([...selection.values()].map((one) => one.page)).size;
    const text = `${selection.size} selected${pages > 1 ? ` on ${pages} pages` : ""}`;
    if (words.textContent !== text) words.textContent = text;
  };

  // Messages selected on other pages are sent as hidden fields.
  const showHidden = () => {
    form.querySelectorAll("input[data-other-page]").forEach((field) => field.remove());
    const ids = new Set(listBoxes().map((box) => box.value));
    for (const id of selection.keys()) {
      if (ids.has(id)) continue;
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name: "msg_id", value: id });
      field.dataset.otherPage = "";
      form.append(field);
    }
  };

  const showSelection = () => {
    for (const box of listBoxes()) {
      box.checked = selection.has(box.value);
      box.closest("tr")?.classList.toggle("is-chosen", box.checked);
    }
    const all = findAllBox();
    if (all) {
      const count = listBoxes().filter((box) => box.checked).length;
      all.checked = count > 0 && count === listBoxes().length;
      all.indeterminate = count > 0 && !all.checked;
    }
    form.hidden = selection.size === 0;
    document.body.classList.toggle("is-selecting", selection.size > 0);
    showCount();
    showButtons();
    showHidden();
    saveSelection();
  };

  const selectBox = (box, isChosen) => {
    if (isChosen) {
      const state = box.closest("[data-row]").dataset.row;
      selection.set(box.value, { state, archived: "rowArchived" in box.dataset, page });
    } else {
      selection.delete(box.value);
    }
  };

  let lastBox = null;
  let withShift = false;
  document.addEventListener("click", (event) => {
    withShift = event.shiftKey;
  }, true);

  document.addEventListener("change", (event) => {
    const box = event.target;
    if (box.matches("[data-select-all]")) {
      listBoxes().forEach((each) => selectBox(each, box.checked));
    } else if (box.matches('input[type=checkbox][name="msg_id"]')) {
      const all = listBoxes();
      const [from, to] = [all.indexOf(box), withShift && lastBox ? all.indexOf(lastBox) : all.indexOf(box)];
      all.slice(Math.min(from, to), Math.max(from, to) + 1).forEach((each) => selectBox(each, box.checked));
      lastBox = box;
    } else {
      return;
    }
    showSelection();
  });

  clearButton.addEventListener("click", () => {
    selection.clear();
    showSelection();
  });

  // Messages sent to an action are not selected any more when the user returns.
  form.addEventListener("submit", (event) => {
    if (event.submitter?.name === "action") sessionStorage.removeItem(key);
  });
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    selection.clear();
    loadSelection().forEach((one, id) => selection.set(id, one));
    showSelection();
  });
  document.addEventListener("htmx:afterSwap", showSelection);

  clearButton.hidden = false;
  const all = findAllBox();
  if (all) all.hidden = false;
  showSelection();
};

startSelection();
