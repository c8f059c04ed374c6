// Keeps the selected messages across the pages of one list, and shows the actions that all of them allow. Without this
// script the check boxes of one page belong to the same form.
const prepareSelection = () => {
  const form = document.getElementById("selection");
  if (!form) return;
  const words = form.querySelector("[data-selection-words]");
  const why = form.querySelector("[data-selection-reason]");
  const clearButton = form.querySelector("[data-selection-clear]");
  const most = Number(form.dataset.most);

  const address = new URLSearchParams(location.search);
  const page = address.get("cursor") || "first";
  ["cursor", "at", "ordering", "page_size"].forEach((name) => address.delete(name));
  address.sort();
  const key = `selection:${address}`;

  const load = () => {
    try {
      return new Map(JSON.parse(sessionStorage.getItem(key)) || []);
    } catch {
      return new Map();
    }
  };
  const chosen = load(); // id: {state, archived, page}
  const save = () => {
    if (chosen.size) sessionStorage.setItem(key, JSON.stringify([...chosen]));
    else sessionStorage.removeItem(key);
  };

  const boxes = () => [...document.querySelectorAll('input[type=checkbox][name="msg_id"]')];
  const allBox = () => document.querySelector("[data-select-all]");

  const reasonAgainst = (button) => {
    const mostOfIt = Number(button.dataset.most || most);
    if (chosen.size > mostOfIt) return `at most ${mostOfIt} at a time`;
    if ("ofArchive" in button.dataset) {
      const live = [...chosen.values()].filter((one) => !one.archived).length;
      return live ? `${live} not archived` : "";
    }
    if (!button.dataset.states) return "";
    const allowed = new Set(button.dataset.states.split(" "));
    const counts = new Map();
    for (const one of chosen.values()) {
      if (one.archived) counts.set("archived", (counts.get("archived") || 0) + 1);
      else if (!allowed.has(one.state)) counts.set(one.state, (counts.get(one.state) || 0) + 1);
    }
    return [...counts].map(([state, count]) => `${count} ${state}`).join(", ");
  };

  const showButtons = () => {
    const reasons = [];
    for (const button of form.querySelectorAll("button[name]")) {
      const reason = reasonAgainst(button);
      button.disabled = reason !== "";
      button.title = reason && `Not possible: ${reason}`;
      if (reason) reasons.push(`${button.textContent.trim()} is not possible: ${reason}.`);
    }
    why.textContent = reasons.join(" ");
  };

  const showWords = () => {
    const pages = new Set([...chosen.values()].map((one) => one.page)).size;
    const text = `${chosen.size} selected${pages > 1 ? ` on ${pages} pages` : ""}`;
    if (words.textContent !== text) words.textContent = text;
  };

  // Messages selected on other pages are sent as hidden fields.
  const showHidden = () => {
    form.querySelectorAll("input[data-other-page]").forEach((field) => field.remove());
    const here = new Set(boxes().map((box) => box.value));
    for (const id of chosen.keys()) {
      if (here.has(id)) continue;
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name: "msg_id", value: id });
      field.dataset.otherPage = "";
      form.append(field);
    }
  };

  const show = () => {
    for (const box of boxes()) {
      box.checked = chosen.has(box.value);
      box.closest("tr")?.classList.toggle("is-chosen", box.checked);
    }
    const all = allBox();
    if (all) {
      const count = boxes().filter((box) => box.checked).length;
      all.checked = count > 0 && count === boxes().length;
      all.indeterminate = count > 0 && !all.checked;
    }
    form.hidden = chosen.size === 0;
    document.body.classList.toggle("has-selection", chosen.size > 0);
    showWords();
    showButtons();
    showHidden();
    save();
  };

  const choose = (box, isChosen) => {
    if (isChosen) {
      const state = box.closest("[data-row]").dataset.row;
      chosen.set(box.value, { state, archived: "rowArchived" in box.dataset, page });
    } else {
      chosen.delete(box.value);
    }
  };

  let last = null;
  let withShift = false;
  document.addEventListener("click", (event) => {
    withShift = event.shiftKey;
  }, true);

  document.addEventListener("change", (event) => {
    const box = event.target;
    if (box.matches("[data-select-all]")) {
      boxes().forEach((each) => choose(each, box.checked));
    } else if (box.matches('input[type=checkbox][name="msg_id"]')) {
      const all = boxes();
      const [from, to] = [all.indexOf(box), withShift && last ? all.indexOf(last) : all.indexOf(box)];
      all.slice(Math.min(from, to), Math.max(from, to) + 1).forEach((each) => choose(each, box.checked));
      last = box;
    } else {
      return;
    }
    show();
  });

  clearButton.addEventListener("click", () => {
    chosen.clear();
    show();
  });

  // Messages sent to an action are not selected any more when the user returns.
  form.addEventListener("submit", (event) => {
    if (event.submitter?.name === "action") sessionStorage.removeItem(key);
  });
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    chosen.clear();
    load().forEach((one, id) => chosen.set(id, one));
    show();
  });
  document.addEventListener("hub:rows", show);

  clearButton.hidden = false;
  const all = allBox();
  if (all) all.hidden = false;
  show();
};

prepareSelection();
