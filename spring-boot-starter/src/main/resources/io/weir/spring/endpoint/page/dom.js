// The page as it is drawn: always as text, since peers choose what they are called.

/** Sets a text where it has changed, so that nothing is read out or lost that stays. */
export function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

export function make(name, text, kind) {
  const element = document.createElement(name);
  if (text !== undefined) {
    element.textContent = text;
  }
  if (kind) {
    element.className = kind;
  }
  return element;
}

/** Makes the children of an element what these are, and keeps those that are alike, with their focus and how far they are scrolled. */
export function become(element, children) {
  while (element.childNodes.length > children.length) {
    element.lastChild.remove();
  }
  children.forEach((child, i) => {
    const old = element.childNodes[i];
    if (!old) {
      element.append(child);
    } else if (old.nodeName !== child.nodeName) {
      old.replaceWith(child);
    } else if (child.nodeType === Node.TEXT_NODE) {
      if (old.data !== child.data) {
        old.data = child.data;
      }
    } else {
      become(old, [...child.childNodes]);
    }
  });
}
