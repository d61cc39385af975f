import{a,b}from"./chunk-GGZMOP72.js";import"./chunk-7RS2RJXC.js";export{a as save,b as saveFrom};
