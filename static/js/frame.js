// The scripts of every page.
import "./keys.js";
import "./menu.js";
import "./menus.js";
import "./back.js";
import "./sections.js";
import "./toasts.js";
import "./terms.js";
import "./clipped.js";
import "./palette.js";
import "./copy.js";
import "./connection.js";
import "./session.js";
import "./failing.js";
import "./parts.js";
import "./part_faults.js";
import "./drafts.js";
import "./faults.js";
import "./print.js";

// Most people did not turn it on.
if (globalThis.Notification?.permission === "granted") import("./job_notices.js");
