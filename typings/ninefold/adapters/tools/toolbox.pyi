from adapters.tools.toolbox import *
