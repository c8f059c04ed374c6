// Narrows the list to a time range that the user drags over the histogram with mouse, pen or touch, or selects
// with Shift and the arrow keys. Without this script each bar is a link.
const WIDTH = 10; // of a slice, in the units of the drawing

const sliceAt = (box, svg, clientX) => {
  const frame = svg.getBoundingClientRect();
  const slice = Math.floor(((clientX - frame.left) / frame.width) * Number(box.dataset.count));
  return Math.max(0, Math.min(slice, Number(box.dataset.count) - 1));
};

const show = (svg, from, to) => {
  const chosen = svg.querySelector(".histogram-chosen");
  chosen.setAttribute("x", String(Math.min(from, to) * WIDTH));
  chosen.setAttribute("width", String((Math.abs(to - from) + 1) * WIDTH));
};

const clear = (svg) => svg.querySelector(".histogram-chosen").setAttribute("width", "0");

const moment = (box, slice) => {
  const time = new Date(Number(box.dataset.start) + slice * Number(box.dataset.step));
  return time.toISOString().replace(".000Z", "Z");
};

const narrow = (box, from, to) => {
  const first = moment(box, Math.min(from, to));
  const last = moment(box, Math.max(from, to) + 1);
  const separator = box.dataset.list.endsWith("?") ? "" : "&";
  location.assign(
    `${box.dataset.list}${separator}receive_timestamp_from=${first}&receive_timestamp_to=${last}`,
  );
};

let drag = null; // {box, svg, from, to}

document.addEventListener("pointerdown", (event) => {
  const svg = event.target.closest(".histogram-svg");
  if (!svg || event.button !== 0) return;
  const box = svg.closest("[data-histogram]");
  const slice = sliceAt(box, svg, event.clientX);
  drag = { box, svg, from: slice, to: slice };
});

document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  drag.to = sliceAt(drag.box, drag.svg, event.clientX);
  if (drag.to !== drag.from) show(drag.svg, drag.from, drag.to);
});

document.addEventListener("pointerup", () => {
  if (!drag) return;
  const { box, from, to, svg } = drag;
  drag = null;
  if (from === to) return clear(svg); // a click: the bar's own link
  narrow(box, from, to);
});

document.addEventListener("pointercancel", () => {
  if (drag) clear(drag.svg);
  drag = null;
});

// A drag over the bars must not drag the link under it or select text.
for (const kind of ["mousedown", "dragstart"]) {
  document.addEventListener(kind, (event) => {
    if (event.target.closest?.(".histogram-svg")) event.preventDefault();
  });
}

// Tab stops once; arrow keys move from bar to bar, and with Shift they widen a range, which Enter opens.
const barsOf = (svg) => [...svg.querySelectorAll("a")];
const sliceOf = (bar) => Number(bar.querySelector("rect").getAttribute("x")) / WIDTH;

const rove = (svg) => barsOf(svg).forEach((bar, n) => bar.setAttribute("tabindex", n ? "-1" : "0"));

let anchor = null;

document.addEventListener("keydown", (event) => {
  const bar = event.target.closest?.(".histogram-svg a");
  if (!bar) return;
  const svg = bar.closest("svg");
  if (event.key === "Enter" && anchor !== null && anchor !== sliceOf(bar)) {
    event.preventDefault();
    narrow(svg.closest("[data-histogram]"), anchor, sliceOf(bar));
    return;
  }
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const bars = barsOf(svg);
  const next = bars[bars.indexOf(bar) + step];
  if (!next) return;
  bars.forEach((each) => each.setAttribute("tabindex", each === next ? "0" : "-1"));
  anchor = event.shiftKey ? (anchor ?? sliceOf(bar)) : null;
  if (anchor === null) clear(svg);
  else show(svg, anchor, sliceOf(next));
  next.focus();
});

const prepare = () => document.querySelectorAll(".histogram-svg").forEach(rove);
document.addEventListener("htmx:afterSwap", prepare);
prepare();
