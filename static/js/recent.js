// Remembers the addresses of the objects that the user opens, newest first. The server looks their names up when the
// search dialog opens, and the browser then forgets those of missing objects; after a logout, all of them.
const MAX_PLACES = 20;
const page = document.querySelector("main[data-person]");
const storageKey = `hubRecent:${page?.dataset.person}`;

export const readRecent = () => {
  try {
    return JSON.parse(localStorage.getItem(storageKey)) ?? [];
  } catch {
    return [];
  }
};

const saveRecent = (addresses) => {
  try {
    localStorage.setItem(storageKey, JSON.stringify(addresses.slice(0, MAX_PLACES)));
  } catch {
    // The browser keeps nothing for this site.
  }
};

const isThis = (address) => address === page.dataset.place;

export const forgetMissing = (known) => saveRecent(readRecent().filter((one) => known.includes(one) || isThis(one)));

if (page?.dataset.place) saveRecent([page.dataset.place, ...readRecent().filter((one) => !isThis(one))]);

document.addEventListener("submit", ({ target }) => {
  if (target.matches("[data-log-out]")) saveRecent([]);
});
