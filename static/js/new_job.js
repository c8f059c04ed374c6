// The page of a new job: shows its duration at the entered rate, and sends its form once.
const prepareForm = () => {
  const form = document.querySelector("[data-new-job]");
  if (!form) return;

  // The same formats as in messages_app/core/formatting.py.
  const two = (large, unit, small, smallUnit) => `${large} ${unit}${small ? ` ${small} ${smallUnit}` : ""}`;

  const decimal = (value) => {
    if (value < 100) return String(value < 1 ? Math.round(value * 100) / 100 : Math.round(value * 10) / 10);
    return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  };

  const words = (seconds) => {
    if (seconds < 1) return "under a second";
    if (seconds < 120) return `about ${Math.floor(seconds)} s`;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 120) return `about ${minutes} min`;
    const hours = Math.floor(minutes / 60);
    if (hours < 48) return `about ${two(hours, "h", minutes % 60, "min")}`;
    return `about ${two(Math.floor(hours / 24), "d", hours % 24, "h")}`;
  };

  const showTime = () => {
    const facts = document.querySelector("[data-to-do]");
    const [takes, at] = ["[data-takes]", "[data-takes-rate]"].map((name) => document.querySelector(name));
    const field = form.querySelector("[data-rate]");
    if (!facts || !takes || !field) return;
    const usual = Number(facts.dataset.usualRate) || Infinity;
    const rate = Math.min(Number(field.value) || usual, usual);
    if (!(rate > 0) || rate === Infinity) return;
    takes.textContent = words(Number(facts.dataset.toDo) / rate);
    if (at) at.textContent = decimal(rate);
  };

  form.addEventListener("input", (event) => {
    if (event.target.matches("[data-rate]")) showTime();
  });

  // A second click must not send it again; a user who returns by the Back button may.
  let isSent = false;
  form.addEventListener("submit", (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
  window.addEventListener("pageshow", () => {
    isSent = false;
  });
};

prepareForm();
