// Continues a search that the server does step by step: adds the rows of the next page of the list to this one and
// moves the bar, until the search is done, the list is long enough or the reader cancels. Without this script the link
// "Continue searching" does.
const MAX_ROWS = 200;
const PLACE = "search-progress";
const ROWS = "table[data-rows] > tbody";

let rowCount = 0;
let rowLimit = 0;
let isStopped = false;

const findProgress = () => document.getElementById(PLACE);

const showCount = () => {
  const words = findProgress()?.querySelector("[data-search-found]");
  if (words) words.textContent = `${rowCount} found`;
};

const showRunning = (isRunning) => {
  const progress = findProgress();
  if (!progress) return;
  progress.classList.toggle("is-running", isRunning);
  progress.querySelector("[data-search-cancel]").hidden = !isRunning;
  progress.querySelector("[data-search-more]").hidden = isRunning;
};

const addRows = (page) => {
  const rows = [...page.querySelectorAll(`${ROWS} > tr`)];
  if (!rows.length) return;
  const body = document.querySelector(ROWS);
  if (body) body.append(...rows);
  else document.querySelector(".c-empty")?.replaceWith(page.querySelector(".c-rows"));
  rowCount += rows.length;
  document.dispatchEvent(new CustomEvent("hub:rows"));
};

// The whole range was searched, or the page is full: the progress now reads as finished.
const showEnd = () => {
  const words = document.createElement("p");
  words.className = "u-soft c-search-done";
  words.setAttribute("role", "status");
  words.textContent = `Searched; ${rowCount} found.`;
  findProgress().replaceWith(words);
  const count = document.getElementById("count-line");
  if (count) count.textContent = `${rowCount} found`;
  if (rowCount) return;
  const head = document.querySelector(".c-empty h2");
  if (head) head.textContent = "No messages found";
  document.querySelector(".c-empty p")?.remove();
};

const showProgress = (page) => {
  const next = page.getElementById(PLACE);
  if (next) findProgress().replaceWith(next);
  else showEnd();
  const older = document.querySelector("nav.c-pager > :last-child");
  const further = page.querySelector("nav.c-pager > :last-child");
  if (older && further) older.replaceWith(further);
  else if (older && !next) older.hidden = true;
  if (next) htmx.process(next); // it loads the next page
};

const startSearch = () => {
  isStopped = false;
  rowLimit = rowCount + MAX_ROWS;
};

const isOfSearch = (event) => event.target.id === PLACE;

document.addEventListener("htmx:beforeRequest", (event) => {
  if (!isOfSearch(event)) return;
  const mayRun = !isStopped && rowCount < rowLimit;
  showRunning(mayRun);
  if (!mayRun) event.preventDefault();
});

document.addEventListener("htmx:beforeSwap", (event) => {
  if (!isOfSearch(event) || !event.detail.shouldSwap) return;
  const page = new DOMParser().parseFromString(event.detail.serverResponse, "text/html");
  addRows(page);
  showProgress(page);
  showCount();
});

// Cancelled, or not answered: the link continues from the position of the bar.
document.addEventListener("htmx:afterRequest", (event) => {
  if (isOfSearch(event) && !event.detail.successful) showRunning(false);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-search-cancel]")) {
    isStopped = true;
    htmx.trigger(findProgress(), "htmx:abort");
  }
  if (event.target.closest("[data-search-more]") && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    startSearch();
    findProgress().dispatchEvent(new Event("hub:search"));
  }
});

if (findProgress()) {
  rowCount = Number(findProgress().querySelector("[data-search-found]").dataset.rows);
  startSearch();
}
