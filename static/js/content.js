// A stored text in the page: folds its elements, and marks what the reader types into its find box.
const FOUND = "found";
const MAX_MARKS = 2000;

const readDepth = (line) => Number(line.dataset.d);
const listLines = (source) => [...source.children];
const listFolds = (source) => [...source.querySelectorAll(".c-source-fold")];
const isOpen = (fold) => fold.getAttribute("aria-expanded") === "true";

// A line that is followed by deeper ones gets a button. Only one of the buttons is in the tab order: the
// arrow keys move between them.
const addFolds = (source) => {
  const lines = listLines(source);
  lines.forEach((line, n) => {
    const next = lines[n + 1];
    if (!next || readDepth(next) <= readDepth(line) || line.querySelector(".c-source-fold")) return;
    const fold = document.createElement("button");
    fold.type = "button";
    fold.className = "c-source-fold";
    fold.tabIndex = -1;
    fold.setAttribute("aria-expanded", "true");
    fold.setAttribute("aria-label", `Fold line ${line.dataset.n || n + 1}`);
    line.prepend(fold);
  });
  const first = source.querySelector(".c-source-fold");
  if (first && !source.querySelector('.c-source-fold[tabindex="0"]')) first.tabIndex = 0;
};

// Shows each line that is not inside a folded one.
const showLines = (source) => {
  let foldedLevel = Infinity;
  for (const line of listLines(source)) {
    const level = readDepth(line);
    if (level <= foldedLevel) foldedLevel = Infinity;
    line.hidden = foldedLevel !== Infinity;
    const fold = line.firstElementChild;
    if (foldedLevel === Infinity && fold?.matches(".c-source-fold") && !isOpen(fold)) foldedLevel = level;
  }
};

const setFold = (fold, open) => fold.setAttribute("aria-expanded", String(open));

const turnFold = (fold, open) => {
  setFold(fold, open);
  showLines(fold.closest(".c-source"));
};

const turnAllFolds = (source, open) => {
  const folds = listFolds(source);
  const root = folds.length ? readDepth(folds[0].parentElement) : 0;
  folds.forEach((fold) => setFold(fold, open || readDepth(fold.parentElement) === root));
  showLines(source);
};

const moveFocus = (fold, step) => {
  const folds = listFolds(fold.closest(".c-source")).filter((one) => !one.parentElement.hidden);
  const next = folds[folds.indexOf(fold) + step];
  if (!next) return;
  fold.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
};

const KEYS = {
  ArrowDown: (fold) => moveFocus(fold, 1),
  ArrowUp: (fold) => moveFocus(fold, -1),
  ArrowLeft: (fold) => turnFold(fold, false),
  ArrowRight: (fold) => turnFold(fold, true),
};

// Marks the word without touching the markup, where the browser can; the line is marked anyway.
const findRanges = (line, word) => {
  const ranges = [];
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.toLowerCase();
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, Math.min(at + word.length, node.length));
      ranges.push(range);
    }
  }
  return ranges;
};

const markWord = (source, word) => {
  const ranges = [];
  for (const line of listLines(source)) {
    const isHit = word !== "" && line.textContent.toLowerCase().includes(word);
    line.classList.toggle("is-hit", isHit);
    if (isHit && ranges.length < MAX_MARKS) ranges.push(...findRanges(line, word));
  }
  if (!window.CSS?.highlights) return;
  if (ranges.length) CSS.highlights.set(FOUND, new Highlight(...ranges));
  else CSS.highlights.delete(FOUND);
};

const showFirstHit = (source) => {
  const hit = source.querySelector(".is-hit");
  if (!hit) return;
  if (hit.hidden) turnAllFolds(source, true);
  source.scrollTop = hit.offsetTop - source.offsetTop - source.clientHeight / 3;
  hit.scrollIntoView({ block: "nearest" });
};

const findBox = (source) => document.querySelector(`[data-find-in="${CSS.escape(source.id)}"]`);
const readWord = (box) => box.value.toLowerCase();

const prepareSource = (source) => {
  if (source.hasAttribute("data-foldable")) {
    addFolds(source);
    showLines(source);
  }
  const box = findBox(source);
  if (box?.value) markWord(source, readWord(box));
};

const prepareSources = (place) => {
  for (const button of place.querySelectorAll("[data-fold-all], [data-unfold-all], [data-copy-from]")) {
    button.hidden = false;
  }
  for (const source of place.querySelectorAll(".c-source")) {
    prepareSource(source);
    if (findBox(source)?.value) showFirstHit(source);
  }
};

document.addEventListener("click", (event) => {
  const fold = event.target.closest(".c-source-fold");
  if (fold) turnFold(fold, !isOpen(fold));
  const all = event.target.closest("[data-fold-all], [data-unfold-all]");
  if (!all) return;
  const { foldAll: foldedId, unfoldAll: unfoldedId } = all.dataset;
  turnAllFolds(document.getElementById(foldedId || unfoldedId), Boolean(unfoldedId));
});

document.addEventListener("keydown", (event) => {
  const fold = event.target.closest?.(".c-source-fold");
  const action = fold && KEYS[event.key];
  if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  action(fold);
});

let timer;
document.addEventListener("input", (event) => {
  const source = document.getElementById(event.target.dataset?.findIn);
  if (!source) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    markWord(source, readWord(event.target));
    showFirstHit(source);
  }, 120);
});

// After the reason was given, the requested content is opened again.
const openAddressedContent = () => {
  const box = document.getElementById(location.hash.slice(1))?.closest("details[hx-get]");
  if (box) box.open = true;
};

prepareSources(document);
// htmx listens to the elements of the page from this event on.
document.addEventListener("DOMContentLoaded", openAddressedContent);
document.addEventListener("htmx:afterSettle", (event) => {
  const { target } = event.detail;
  if (target.matches(".c-source")) prepareSource(target);
  else prepareSources(target);
});
