// A drawing that is wider than its frame begins with its first box, not at its left edge.
for (const frame of document.querySelectorAll(".c-prose-drawing")) {
  const box = frame.querySelector(".c-drawing-box")?.getBoundingClientRect();
  if (box) frame.scrollLeft += box.left + box.width / 2 - frame.getBoundingClientRect().left - frame.clientWidth / 2;
}
