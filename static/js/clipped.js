// A text of a table that is too long for its column is shown completely as its title, when it is pointed at or gets the
// focus.
const showWhole = ({ target }) => {
  const text = target.closest?.("td > *, td");
  if (!text || text.title) return;
  const clipped = [text, text.closest("td")].find((each) =>
    each.scrollWidth > each.clientWidth && each.clientWidth > 0
  );
  if (clipped && !clipped.title) clipped.title = clipped.textContent.trim().replace(/\s+/g, " ");
};

document.addEventListener("mouseover", showWhole);
document.addEventListener("focusin", showWhole);
