// Asks every five seconds for the outcome of a cancel or restart, for up to three minutes, while the page is visible.
(() => {
  const EVERY_MS = 5000;
  const MOST = 36;
  let asked = 0;

  const said = document.createElement("p");
  said.className = "visually-hidden";
  said.setAttribute("role", "status");

  const show = (place, html) => {
    const fresh = new DOMParser().parseFromString(html, "text/html").getElementById("followed");
    if (!fresh) return;
    const verdict = (section) => section.querySelector(".followed-verdict").textContent;
    if (verdict(fresh) !== verdict(place)) said.textContent = verdict(fresh);
    if (fresh.dataset.state !== shown) {
      fresh.classList.add("is-ahead");
      fresh.querySelector(".followed-reload").textContent = "Reload to update the rest of the page";
    }
    place.replaceWith(fresh);
  };

  const ask = async () => {
    const place = document.querySelector("[data-follow]");
    if (!place || asked >= MOST) {
      clearInterval(timer);
      return;
    }
    if (document.hidden) return;
    asked += 1;
    try {
      const response = await fetch(place.dataset.follow, { headers: { "HX-Request": "true" } });
      if (response.status === 401) window.hubConnection.check();
      if (response.ok) show(place, await response.text());
    } catch {
      window.hubConnection.check(); // the next question may have an answer
    }
  };

  const first = document.querySelector("[data-follow]");
  if (!first) return;
  const shown = first.dataset.state;
  document.body.append(said);
  const timer = setInterval(ask, EVERY_MS);
})();
