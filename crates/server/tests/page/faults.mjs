// What is wrong with the visible part of a page. The function runs in the page, so it refers to nothing outside.

export function faults() {
  const found = [];
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) {
    const wide = [...document.querySelectorAll("body *")].find((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, nav"));
    found.push(`is ${over} px wider than the window (${wide ? `${wide.tagName}.${wide.className}` : "?"})`);
  }
  if (window.pwned !== undefined) found.push("a script of a key ran");
  const parse = (text) => {
    const numbers = text.match(/-?[\d.]+/g).map(Number);
    return [...numbers.slice(0, 3), numbers.length > 3 ? numbers[3] : 1];
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((n) => n / 255).map((n) => (n <= 0.03928 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, [r, g, b, a]) => [r, g, b].map((n, i) => n * a + under[i] * (1 - a)), [255, 255, 255]);
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, style, noscript, option, title") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const colour = element.closest("svg") ? style.fill : style.color;
    const key = [colour, element.className, element.tagName, element.parentElement.className].join();
    if (seen.has(key)) continue;
    seen.add(key);
    const [text, back] = [luminance(parse(colour).slice(0, 3)), luminance(behind(element))];
    const contrast = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(2)} of "${node.data.trim().slice(0, 30)}" (${element.tagName})`);
  }
  for (const e of document.querySelectorAll("select, input")) if (!e.closest("label")) found.push(`${e.tagName} without a label`);
  for (const e of document.querySelectorAll("button")) if (!e.textContent.trim() && !e.getAttribute("aria-label")) found.push("a button without a name");
  for (const e of document.querySelectorAll("svg")) if (!e.getAttribute("aria-label")) found.push("a chart without a name");
  return found;
}
