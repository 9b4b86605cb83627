// Makes and changes elements. What comes from the host only ever becomes text or an attribute's
// value: nothing here, and nothing that uses this, reads a string as HTML.

const SVG = 'http://www.w3.org/2000/svg'

// An element; in `attributes` a function is a listener (onclick), true an attribute without a
// value, and null, undefined or false none at all. Children are elements or text; null is left out.
export function el(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children)
}

export function svg(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children)
}

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === 'function') element.addEventListener(name.slice(2), value)
        else setAttribute(element, name, value)
    }
    for (const child of children.flat())
        if (child !== null && child !== undefined) element.append(child)
    return element
}

// The setters below write only what differs, so that a page on which nothing changes is left alone.

export function setText(element, text) {
    const wanted = String(text ?? '')
    if (element.textContent !== wanted) element.textContent = wanted
}

export function setAttribute(element, name, value) {
    if (value === null || value === undefined || value === false) {
        if (element.hasAttribute(name)) element.removeAttribute(name)
    } else {
        const wanted = value === true ? '' : String(value)
        if (element.getAttribute(name) !== wanted) element.setAttribute(name, wanted)
    }
}

export function setHidden(element, hidden) {
    if (element.hidden !== hidden) element.hidden = hidden
}

// Makes `nodes` the children of `parent`, in this order: those that are there already stay or move,
// and what had the focus keeps it.
export function arrange(parent, nodes) {
    const focused = parent.contains(document.activeElement) ? document.activeElement : null
    const wanted = new Set(nodes)
    for (const child of [...parent.children]) if (!wanted.has(child)) child.remove()
    let next = parent.firstElementChild
    for (const node of nodes) {
        if (node === next) next = next.nextElementSibling
        else parent.insertBefore(node, next)
    }
    if (focused && focused.isConnected && document.activeElement !== focused)
        focused.focus({preventScroll: true})
}

// The elements of a list with a key each: made once, then told of each new value.
//   make(value) → {element, update(value)}
export class KeyedElements {
    constructor(make) {
        this.make = make
        this.parts = new Map()
    }

    // Gives the parts in the order of `values`, the ones of lost keys forgotten.
    update(values, keyOf) {
        const parts = new Map()
        for (const value of values) {
            const key = keyOf(value)
            const part = this.parts.get(key) ?? this.make(value)
            part.update(value)
            parts.set(key, part)
        }
        this.parts = parts
        return [...parts.values()]
    }
}

let ids = 0
export function newId(prefix) {
    ids += 1
    return `${prefix}-${ids}`
}

// Calls `action` once it has not been asked to for `milliseconds`.
export function debounced(milliseconds, action) {
    let timer = 0
    const call = (...args) => {
        clearTimeout(timer)
        timer = setTimeout(() => action(...args), milliseconds)
    }
    call.cancel = () => clearTimeout(timer)
    return call
}
