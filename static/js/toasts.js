// Notices of success leave after ten seconds, but not while the pointer or the focus is on them.
const SHOWN_MS = 10_000;

const isInUse = (toast) => toast.matches(":hover, :focus-within");

const removeLater = (toast) => {
  setTimeout(() => isInUse(toast) ? removeLater(toast) : toast.remove(), SHOWN_MS);
};

document.querySelectorAll(".c-toasts [data-toast=success], .c-toasts [data-toast=info]").forEach(removeLater);
