// Shows the line and column of the cursor in an editor, and goes to the place of an error.
const editor = document.querySelector("[data-editor]");
const place = document.querySelector("[data-editor-place]");

function showPlace() {
  const before = editor.value.slice(0, editor.selectionStart).split("\n");
  place.textContent = `Line ${before.length}, column ${before.at(-1).length + 1}`;
}

function goToPlace(line, column) {
  const lines = editor.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((length, text) => length + text.length + 1, 0);
  const offset = Math.min(start + column - 1, editor.value.length);
  editor.focus();
  editor.setSelectionRange(offset, Math.min(offset + 1, editor.value.length));
  const height = parseFloat(getComputedStyle(editor).lineHeight);
  editor.scrollTop = Math.max(0, (line - 4) * height);
  showPlace();
}

if (editor && place) {
  for (const name of ["input", "keyup", "click", "focus"]) editor.addEventListener(name, showPlace);
  showPlace();
}
document.querySelector("[data-go-to-line]")?.addEventListener("click", (event) => {
  event.preventDefault();
  const { goToLine, goToColumn } = event.currentTarget.dataset;
  goToPlace(Number(goToLine), Number(goToColumn));
});
