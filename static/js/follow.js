// The page of a message follows it until it has ended: state, buttons, timeline and the other sections are those of the
// page as it would be loaded now. Asks every three seconds, later every half minute, and not while the page is hidden.
// Payloads stay as they are. A section is not replaced while the user selects text in it, or has loaded more of it;
// opened parts and the focus are kept.
import { checkConnection, isConnected } from "./connection.js";

const followMessage = () => {
  const EVERY_MS = 3000;
  const LATER_MS = 30_000;
  const SOON = 200;
  const KEPT = ["contents", "jobs"];
  const OFTEN = ["state", "followed"];

  const place = document.querySelector("[data-follow]");
  if (!place) return;
  const said = document.getElementById("followed-status");
  let asked = 0;

  // A section is not replaced only because of a text like "5 s ago".
  const textOf = (section) => {
    const copy = section.cloneNode(true);
    for (const part of copy.querySelectorAll(".second-line, time, script")) part.remove();
    for (const part of copy.querySelectorAll("details")) part.removeAttribute("open");
    return copy.innerHTML.replaceAll(/\s+/g, " ");
  };

  const isBeingMarked = (section) => {
    const marked = getSelection();
    return !marked.isCollapsed && marked.containsNode(section, true);
  };

  const detailsOf = (section) => [...section.querySelectorAll("details")];
  const isOpened = (section) => section.querySelector("details[open]") !== null;
  const isSame = (section, fresh) => textOf(section) === textOf(fresh) && section.dataset.state === fresh.dataset.state;

  // Where the focus is within a section: by what the element does, since its place may change.
  const focusIn = (section) => {
    const focused = document.activeElement;
    if (!section.contains(focused) || focused === section) return null;
    const target = focused.getAttribute("href") || focused.id || focused.textContent.trim();
    return (part) => [part.getAttribute("href"), part.id, part.textContent.trim()].includes(target);
  };

  const replace = (section, fresh) => {
    const opened = detailsOf(section).map((part) => part.open);
    const hadFocus = focusIn(section);
    section.replaceWith(fresh);
    detailsOf(fresh).forEach((part, number) => {
      part.open = opened[number] || part.open;
    });
    if (window.htmx) window.htmx.process(fresh);
    if (!hadFocus) return;
    const target = [...fresh.querySelectorAll("a[href], button, summary, [tabindex]")].find(hadFocus);
    fresh.tabIndex = -1;
    (target || fresh).focus({ preventScroll: true });
  };

  const mayReplace = (section, fresh) => {
    if (KEPT.includes(section.id) || isSame(section, fresh) || isBeingMarked(section)) return false;
    return OFTEN.includes(section.id) || !isOpened(section) || detailsOf(section).length === detailsOf(fresh).length;
  };

  const show = (page) => {
    const next = page.getElementById("sections");
    if (!next) return;
    const before = place.dataset.sentence;
    place.dataset.sentence = next.dataset.sentence;
    let last = null;
    // Sections move from the loaded page to this one.
    const sections = [...next.children].filter((section) => section.id);
    const ids = sections.map((section) => section.id);
    for (const fresh of sections) {
      const section = document.getElementById(fresh.id);
      if (!section && last) last.after(fresh);
      else if (!section) place.prepend(fresh);
      else if (mayReplace(section, fresh)) replace(section, fresh);
      last = document.getElementById(fresh.id);
    }
    for (const section of [...place.children]) {
      if (section.id && !ids.includes(section.id) && !KEPT.includes(section.id)) section.remove();
    }
    for (const id of ["message-notes", "on-this-page"]) {
      const fresh = page.getElementById(id);
      const part = document.getElementById(id);
      if (fresh && part && !isSame(part, fresh)) replace(part, fresh);
    }
    if (before !== place.dataset.sentence) said.textContent = place.dataset.sentence;
    if (!("follow" in next.dataset)) delete place.dataset.follow;
  };

  const ask = async () => {
    asked += 1;
    try {
      const answer = await fetch(location.pathname + location.search, { headers: { "HX-Request": "true" } });
      if (answer.status === 401) checkConnection();
      if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      if ([403, 404].includes(answer.status)) delete place.dataset.follow;
    } catch {
      checkConnection(); // the next question may have an answer
    }
  };

  const later = () => {
    if ("follow" in place.dataset) setTimeout(look, asked < SOON ? EVERY_MS : LATER_MS);
  };

  async function look() {
    if (!document.hidden && isConnected()) await ask();
    later();
  }

  later();
};

followMessage();
