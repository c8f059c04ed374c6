// Continues a search that the server does step by step: fetches the next page of the list, adds its rows to
// this one and moves the bar, until the search is done, the list is long enough or the reader cancels.
// Without this script the link "Continue searching" does.
import { checkConnection } from "./connection.js";

const continueSearch = () => {
  const MOST_ROWS = 200;
  const PLACE = "search-progress";
  const ROWS = "table[data-rows] > tbody";

  let running = null; // the AbortController of the current request
  let found = 0;

  const place = () => document.getElementById(PLACE);

  const showFound = () => {
    const words = place()?.querySelector("[data-search-found]");
    if (words) words.textContent = `${found} found`;
  };

  const showRunning = (isRunning) => {
    const progress = place();
    if (!progress) return;
    progress.classList.toggle("is-running", isRunning);
    progress.querySelector("[data-search-cancel]").hidden = !isRunning;
    progress.querySelector("[data-search-more]").hidden = isRunning;
  };

  const addRows = (page) => {
    const rows = [...page.querySelectorAll(`${ROWS} > tr`)];
    if (!rows.length) return;
    const here = document.querySelector(ROWS);
    if (here) here.append(...rows);
    else document.querySelector(".empty")?.replaceWith(page.querySelector(".message-table"));
    found += rows.length;
    document.dispatchEvent(new CustomEvent("hub:rows"));
  };

  const moveOn = (page) => {
    const next = page.getElementById(PLACE);
    if (next) place().replaceWith(next);
    else end();
    const older = document.querySelector("nav.pager > :last-child");
    const further = page.querySelector("nav.pager > :last-child");
    if (older && further) older.replaceWith(further);
    else if (older && !next) older.hidden = true;
  };

  // The whole range was searched, or the page is full: the progress now reads as finished.
  const end = () => {
    const words = document.createElement("p");
    words.className = "soft search-done";
    words.setAttribute("role", "status");
    words.textContent = `Searched; ${found} found.`;
    place().replaceWith(words);
    const count = document.getElementById("count-line");
    if (count) count.textContent = `${found} found`;
  };

  const sayEmpty = () => {
    if (place() || found) return;
    const head = document.querySelector(".empty h2");
    if (head) head.textContent = "No messages found";
    document.querySelector(".empty p")?.remove();
  };

  const step = async () => {
    running = new AbortController();
    // It continues automatically, which does not count as activity.
    const headers = { "HX-Request": "true" };
    const answer = await fetch(place().dataset.search, { headers, signal: running.signal });
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    addRows(page);
    moveOn(page);
    showFound();
    sayEmpty();
  };

  const go = async () => {
    try {
      const enough = found + MOST_ROWS;
      while (place() && found < enough) {
        showRunning(true);
        await step();
      }
    } catch {
      // Cancelled, or not answered: the link continues from the position of the bar.
      checkConnection();
    }
    running = null;
    showRunning(false);
  };

  const cancel = () => {
    running?.abort();
  };

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-search-cancel]")) cancel();
    if (event.target.closest("[data-search-more]") && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      go();
    }
  });

  const progress = place();
  if (!progress) return;
  found = Number(progress.querySelector("[data-search-found]").dataset.rows);
  go();
};

continueSearch();
