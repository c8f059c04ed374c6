// A stored text in the page: folds its elements, and marks what the reader types into its find box.
const FOUND = "found";
const MOST_MARKS = 2000;

const depth = (line) => Number(line.dataset.d);
const linesOf = (source) => [...source.children];
const foldsOf = (source) => [...source.querySelectorAll(".fold")];
const isOpen = (fold) => fold.getAttribute("aria-expanded") === "true";

// A line that is followed by deeper ones gets a button. Only one of the buttons is in the tab order: the
// arrow keys move between them.
const addFolds = (source) => {
  const lines = linesOf(source);
  lines.forEach((line, n) => {
    const next = lines[n + 1];
    if (!next || depth(next) <= depth(line) || line.querySelector(".fold")) return;
    const fold = document.createElement("button");
    fold.type = "button";
    fold.className = "fold";
    fold.tabIndex = -1;
    fold.setAttribute("aria-expanded", "true");
    fold.setAttribute("aria-label", `Fold line ${line.dataset.n || n + 1}`);
    line.prepend(fold);
  });
  const first = source.querySelector(".fold");
  if (first && !source.querySelector('.fold[tabindex="0"]')) first.tabIndex = 0;
};

// Shows each line that is not inside a folded one.
const draw = (source) => {
  let folded = Infinity;
  for (const line of linesOf(source)) {
    const level = depth(line);
    if (level <= folded) folded = Infinity;
    line.hidden = folded !== Infinity;
    const fold = line.firstElementChild;
    if (folded === Infinity && fold?.matches(".fold") && !isOpen(fold)) folded = level;
  }
};

const setFold = (fold, open) => fold.setAttribute("aria-expanded", String(open));

const toggle = (fold, open) => {
  setFold(fold, open);
  draw(fold.closest(".source"));
};

const foldAll = (source, open) => {
  const folds = foldsOf(source);
  const root = folds.length ? depth(folds[0].parentElement) : 0;
  folds.forEach((fold) => setFold(fold, open || depth(fold.parentElement) === root));
  draw(source);
};

const walk = (fold, step) => {
  const shown = foldsOf(fold.closest(".source")).filter((one) => !one.parentElement.hidden);
  const next = shown[shown.indexOf(fold) + step];
  if (!next) return;
  fold.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
};

const KEYS = {
  ArrowDown: (fold) => walk(fold, 1),
  ArrowUp: (fold) => walk(fold, -1),
  ArrowLeft: (fold) => toggle(fold, false),
  ArrowRight: (fold) => toggle(fold, true),
};

// Marks the word without touching the markup, where the browser can; the line is marked anyway.
const rangesIn = (line, word) => {
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

const mark = (source, word) => {
  const ranges = [];
  for (const line of linesOf(source)) {
    const isHit = word !== "" && line.textContent.toLowerCase().includes(word);
    line.classList.toggle("hit", isHit);
    if (isHit && ranges.length < MOST_MARKS) ranges.push(...rangesIn(line, word));
  }
  if (!window.CSS?.highlights) return;
  if (ranges.length) CSS.highlights.set(FOUND, new Highlight(...ranges));
  else CSS.highlights.delete(FOUND);
};

const showFirst = (source) => {
  const hit = source.querySelector(".hit");
  if (!hit) return;
  if (hit.hidden) foldAll(source, true);
  source.scrollTop = hit.offsetTop - source.offsetTop - source.clientHeight / 3;
  hit.scrollIntoView({ block: "nearest" });
};

const findBoxOf = (source) => document.querySelector(`[data-find-in="${CSS.escape(source.id)}"]`);
const wordOf = (box) => box.value.toLowerCase();

const prepare = (source) => {
  if (source.hasAttribute("data-foldable")) {
    addFolds(source);
    draw(source);
  }
  const box = findBoxOf(source);
  if (box?.value) mark(source, wordOf(box));
};

const prepareAll = (place) => {
  for (const button of place.querySelectorAll("[data-fold-all], [data-unfold-all], [data-copy-from]")) {
    button.hidden = false;
  }
  for (const source of place.querySelectorAll(".source")) {
    prepare(source);
    if (findBoxOf(source)?.value) showFirst(source);
  }
};

document.addEventListener("click", (event) => {
  const fold = event.target.closest(".fold");
  if (fold) toggle(fold, !isOpen(fold));
  const all = event.target.closest("[data-fold-all], [data-unfold-all]");
  if (!all) return;
  const { foldAll: folded, unfoldAll: unfolded } = all.dataset;
  foldAll(document.getElementById(folded || unfolded), Boolean(unfolded));
});

document.addEventListener("keydown", (event) => {
  const fold = event.target.closest?.(".fold");
  const act = fold && KEYS[event.key];
  if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  act(fold);
});

let typing;
document.addEventListener("input", (event) => {
  const source = document.getElementById(event.target.dataset?.findIn);
  if (!source) return;
  clearTimeout(typing);
  typing = setTimeout(() => {
    mark(source, wordOf(event.target));
    showFirst(source);
  }, 120);
});

// After the reason was given, the requested content is opened again.
const openAddressed = () => {
  const box = document.getElementById(location.hash.slice(1))?.closest("details[hx-get]");
  if (box) box.open = true;
};

prepareAll(document);
openAddressed();
document.addEventListener("htmx:afterSettle", (event) => {
  const { target } = event.detail;
  if (target.matches(".source")) prepare(target);
  else prepareAll(target);
});
