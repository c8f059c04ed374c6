// Tables that the user has opened stay open when the page replaces them with new numbers: the new part
// gets the `open` of the old one, by the name in data-keep-open.
document.addEventListener("htmx:beforeSwap", (event) => {
  const opened = [...event.detail.target.querySelectorAll("details[data-keep-open][open]")];
  event.detail.target.dataset.opened = opened.map((part) => part.dataset.keepOpen).join(" ");
});

document.addEventListener("htmx:afterSwap", (event) => {
  const names = (event.detail.target.dataset.opened || "").split(" ");
  for (const part of event.detail.target.querySelectorAll("details[data-keep-open]")) {
    if (names.includes(part.dataset.keepOpen)) part.open = true;
  }
});
