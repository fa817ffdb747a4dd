"use strict";
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const claims = all("tbody[data-state]").map((element) => ({
    element,
    state: element.dataset.state,
    text: element.textContent.toLowerCase(),
  }));
  const groups = all("[data-group]");
  const filters = all("button[data-filter]");
  const search = document.getElementById("search");
  const shown = document.getElementById("shown");
  let wanted = "all";

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const claim of claims) {
      const fits = (wanted === "all" || claim.state === wanted) && words.every((word) => claim.text.includes(word));
      claim.element.hidden = !fits;
      count += fits;
    }
    const filtered = wanted !== "all" || words.length > 0;
    for (const group of groups) {
      group.hidden = filtered && group.querySelector("tbody[data-state]:not([hidden])") === null;
    }
    for (const button of filters) {
      button.setAttribute("aria-pressed", String(button.dataset.filter === wanted));
    }
    shown.textContent = filtered ? `${count} of ${claims.length} shown` : "";
  };
  for (const button of filters) {
    button.addEventListener("click", () => {
      wanted = button.dataset.filter;
      apply();
    });
  }
  search.addEventListener("input", apply);

  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const name = () => {
    theme.textContent = isDark() ? "Light" : "Dark";
  };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
  });
  dark.addEventListener("change", name);
  name();
  document.getElementById("bar").hidden = false;
  apply();
})();
