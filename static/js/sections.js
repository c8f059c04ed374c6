// Shows the current section of a page, or the current view of a list, where they scroll in their line.
const NEXT = 44; // of the next one that is seen, in pixels
const rightOf = (element) => element.getBoundingClientRect().right;

for (const line of document.querySelectorAll(".c-sections-nav, .c-tabs-links > ul")) {
  const current = line.querySelector("[aria-current]");
  if (current) line.scrollLeft += rightOf(current) + NEXT - rightOf(line);
}
