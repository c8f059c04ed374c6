// Tells the server once a minute that somebody is there, asks whether to stay before the session ends, and leads to
// the log-in once it has. What a page asks for by itself, its questions to the server here too, keeps no session alive.
(() => {
  const ADDRESS = "/sessions/left/";
  const WARN_S = 60;
  const AGAIN_S = 15;
  const TELL_MS = 60_000;

  let timer = 0;
  let toldAt = Date.now(); // the page itself was a use
  let isWarned = false; // of the end that nothing puts off
  let notice = null;

  const later = (seconds) => {
    clearTimeout(timer);
    timer = setTimeout(look, Math.max(seconds, 1) * 1000);
  };

  const clock = (seconds) => {
    const at = new Date(Date.now() + seconds * 1000);
    return `${at.toISOString().slice(11, 19)} UTC`;
  };

  const make = () => {
    const made = document.createElement("dialog");
    made.className = "session-notice";
    made.setAttribute("role", "alertdialog");
    made.setAttribute("aria-labelledby", "session-notice-title");
    made.setAttribute("aria-describedby", "session-notice-text");
    const title = document.createElement("h2");
    title.id = "session-notice-title";
    const text = document.createElement("p");
    text.id = "session-notice-text";
    const button = document.createElement("button");
    button.type = "button";
    button.autofocus = true;
    button.addEventListener("click", () => {
      made.close();
      tell();
    });
    made.append(title, text, button);
    made.addEventListener("cancel", tell); // by Escape: somebody is there, too
    document.body.append(made);
    return made;
  };

  const show = (title, text, button) => {
    notice = notice || make();
    const words = [title, text, button];
    [...notice.children].forEach((part, place) => {
      part.textContent = words[place];
    });
    if (!notice.open) notice.showModal();
  };

  const warn = ({ seconds, may_grow: mayGrow }) => {
    const at = clock(seconds);
    if (mayGrow) {
      show("Still there?", `Your session ends at ${at}: nobody has used it for a while.`, "Stay logged in");
    } else if (!isWarned) {
      isWarned = true;
      show(
        "Your session is at its end",
        `You are logged out at ${at}, the longest that a session lasts. Send what you have typed, then log in again.`,
        "I see",
      );
    }
  };

  const heed = async (answer) => {
    if (answer.status === 401) {
      location.assign(answer.headers.get("HX-Redirect"));
      return;
    }
    if (!answer.ok) {
      later(AGAIN_S);
      return;
    }
    const left = await answer.json();
    if (left.seconds > WARN_S) {
      if (notice?.open) notice.close(); // used in another window
      later(left.seconds - WARN_S);
    } else {
      warn(left);
      later(Math.min(left.seconds + 1, AGAIN_S));
    }
  };

  const ask = async (options) => {
    try {
      await heed(await fetch(ADDRESS, options));
    } catch {
      later(AGAIN_S); // the network is away for a while
    }
  };

  function look() {
    ask({ headers: { "HX-Request": "true" } });
  }

  function tell() {
    toldAt = Date.now();
    const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value || "";
    ask({ method: "POST", headers: { "HX-Request": "true", "X-CSRFToken": token } });
  }

  const notePresence = () => {
    if (Date.now() - toldAt > TELL_MS && !notice?.open) tell();
  };

  for (const kind of ["keydown", "pointerdown", "wheel"]) {
    document.addEventListener(kind, notePresence, { capture: true, passive: true });
  }
  // Timers rest while the machine sleeps or nobody sees the page.
  document.addEventListener("visibilitychange", () => document.hidden || look());
  later(WARN_S);
})();
