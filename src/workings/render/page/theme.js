// Before anything is drawn: the choice of an earlier visit.
try {
  const chosen = localStorage.getItem("workings-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // A page that may not remember anything follows the system.
}
