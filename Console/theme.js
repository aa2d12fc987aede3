// Sets the chosen theme before the first paint. A classic script: modules run after the page is laid out.
try {
  document.documentElement.dataset.theme = localStorage.getItem("syncline.theme") ?? "";
} catch {
  // Storage is off: the system's theme.
}
