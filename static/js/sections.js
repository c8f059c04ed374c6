// Shows the current section where the sections of a page scroll in their line.
const NEXT = 44; // of the next section that is seen, in pixels
const line = document.querySelector(".c-sections-nav");
const current = line?.querySelector("[aria-current]");
const rightOf = (element) => element.getBoundingClientRect().right;

if (current) line.scrollLeft += rightOf(current) + NEXT - rightOf(line);
