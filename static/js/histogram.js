// Narrows the list to a time range that the user drags over the histogram with mouse, pen or touch, or selects
// with Shift and the arrow keys. Without this script each bar is a link.
const WIDTH = 10; // of a slice, in the units of the drawing

const findSlice = (box, svg, clientX) => {
  const frame = svg.getBoundingClientRect();
  const slice = Math.floor(((clientX - frame.left) / frame.width) * Number(box.dataset.count));
  return Math.max(0, Math.min(slice, Number(box.dataset.count) - 1));
};

const showRange = (svg, from, to) => {
  const rect = svg.querySelector(".c-histogram-chosen");
  rect.setAttribute("x", String(Math.min(from, to) * WIDTH));
  rect.setAttribute("width", String((Math.abs(to - from) + 1) * WIDTH));
};

const clearRange = (svg) => svg.querySelector(".c-histogram-chosen").setAttribute("width", "0");

const writeMoment = (box, slice) => {
  const time = new Date(Number(box.dataset.start) + slice * Number(box.dataset.step));
  return time.toISOString().replace(".000Z", "Z");
};

const narrowList = (box, from, to) => {
  const first = writeMoment(box, Math.min(from, to));
  const last = writeMoment(box, Math.max(from, to) + 1);
  const separator = box.dataset.list.endsWith("?") ? "" : "&";
  location.assign(
    `${box.dataset.list}${separator}receive_timestamp_from=${first}&receive_timestamp_to=${last}`,
  );
};

let drag = null; // {box, svg, from, to}

document.addEventListener("pointerdown", (event) => {
  const svg = event.target.closest(".c-histogram-svg");
  if (!svg || event.button !== 0) return;
  const box = svg.closest("[data-histogram]");
  const slice = findSlice(box, svg, event.clientX);
  drag = { box, svg, from: slice, to: slice };
});

document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  drag.to = findSlice(drag.box, drag.svg, event.clientX);
  if (drag.to !== drag.from) showRange(drag.svg, drag.from, drag.to);
});

document.addEventListener("pointerup", () => {
  if (!drag) return;
  const { box, from, to, svg } = drag;
  drag = null;
  if (from === to) return clearRange(svg); // a click: the bar's own link
  narrowList(box, from, to);
});

document.addEventListener("pointercancel", () => {
  if (drag) clearRange(drag.svg);
  drag = null;
});

// A drag over the bars must not drag the link under it or select text.
for (const kind of ["mousedown", "dragstart"]) {
  document.addEventListener(kind, (event) => {
    if (event.target.closest?.(".c-histogram-svg")) event.preventDefault();
  });
}

// Tab stops once; arrow keys move from bar to bar, and with Shift they widen a range, which Enter opens.
const listBars = (svg) => [...svg.querySelectorAll("a")];
const readSlice = (bar) => Number(bar.querySelector("rect").getAttribute("x")) / WIDTH;

const setTabStops = (svg) => listBars(svg).forEach((bar, n) => bar.setAttribute("tabindex", n ? "-1" : "0"));

let anchor = null;

document.addEventListener("keydown", (event) => {
  const bar = event.target.closest?.(".c-histogram-svg a");
  if (!bar) return;
  const svg = bar.closest("svg");
  if (event.key === "Enter" && anchor !== null && anchor !== readSlice(bar)) {
    event.preventDefault();
    narrowList(svg.closest("[data-histogram]"), anchor, readSlice(bar));
    return;
  }
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const bars = listBars(svg);
  const next = bars[bars.indexOf(bar) + step];
  if (!next) return;
  bars.forEach((each) => each.setAttribute("tabindex", each === next ? "0" : "-1"));
  anchor = event.shiftKey ? (anchor ?? readSlice(bar)) : null;
  if (anchor === null) clearRange(svg);
  else showRange(svg, anchor, readSlice(next));
  next.focus();
});

const prepareBars = () => document.querySelectorAll(".c-histogram-svg").forEach(setTabStops);
document.addEventListener("htmx:afterSwap", prepareBars);
prepareBars();
