// Shows the meaning of a term next to it, by hover, focus or tap. One popover serves all terms of a page; the browser
// closes it by Esc and by a tap elsewhere.
const TERM = ".c-term";
const SHOW_MS = 200;
const HIDE_MS = 300;
const GAP = 6;
const MARGIN = 12;

const note = document.getElementById("term-note");
let shown = null;
let timer = 0;
// While the browser opens or closes the note, it moves the focus.
let isMoving = false;

const isOpen = () => note.matches(":popover-open");

const placeNote = (term) => {
  const at = term.getBoundingClientRect();
  const size = note.getBoundingClientRect();
  const left = Math.max(MARGIN, Math.min(at.left, innerWidth - size.width - MARGIN));
  const isBelow = at.bottom + GAP + size.height < innerHeight || at.top < size.height + GAP;
  note.style.left = `${left}px`;
  note.style.top = `${isBelow ? at.bottom + GAP : at.top - GAP - size.height}px`;
};

const hideNote = () => {
  clearTimeout(timer);
  isMoving = true;
  if (isOpen()) note.hidePopover();
  isMoving = false;
};

const showNote = (term) => {
  clearTimeout(timer);
  if (isOpen() && shown === term) return;
  hideNote();
  note.querySelector("[data-text]").textContent = term.dataset.meaning;
  const { chapter } = term.dataset;
  const link = note.querySelector("a");
  link.hidden = !chapter;
  if (chapter) link.href = chapter;
  note.showPopover({ source: term });
  placeNote(term);
  term.setAttribute("aria-describedby", "term-text");
  shown = term;
};

const isInside = (target) => target instanceof Node && (note.contains(target) || shown?.contains(target));

note?.addEventListener("beforetoggle", ({ newState }) => {
  if (newState === "closed") shown?.removeAttribute("aria-describedby");
});

document.addEventListener("pointerover", ({ target, pointerType }) => {
  if (pointerType !== "mouse") return;
  const term = target.closest?.(TERM);
  clearTimeout(timer);
  if (term) timer = setTimeout(showNote, SHOW_MS, term);
  else if (isOpen() && !isInside(target) && !isInside(document.activeElement)) timer = setTimeout(hideNote, HIDE_MS);
});

document.addEventListener("click", (event) => {
  const term = event.target.closest(TERM);
  if (!term) return;
  event.preventDefault();
  showNote(term);
});

document.addEventListener("focusin", ({ target }) => {
  if (isMoving) return;
  if (target.matches(TERM) && target.matches(":focus-visible")) showNote(target);
  else if (isOpen() && !isInside(target)) hideNote();
});

// Other scripts leave the key to the note.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !note || !isOpen()) return;
  event.preventDefault();
  hideNote();
}, { capture: true });

addEventListener("scroll", ({ target }) => {
  if (note && isOpen() && !note.contains(target)) hideNote();
}, { capture: true, passive: true });

document.addEventListener("htmx:afterSwap", () => {
  if (shown && !shown.isConnected) hideNote();
});
