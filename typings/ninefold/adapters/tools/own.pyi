from adapters.tools.own import *
